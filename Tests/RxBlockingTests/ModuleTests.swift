import RxBlocking
import Testing
