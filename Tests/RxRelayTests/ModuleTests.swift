import RxRelay
import Testing
