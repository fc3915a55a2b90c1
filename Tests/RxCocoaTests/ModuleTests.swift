import RxCocoa
import Testing
