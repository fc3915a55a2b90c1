// SPDX-License-Identifier: Apache-2.0

/// The bytes that programs send: frames that name their sender and their place, so that a hole, a double and a wrong byte are noticed.
enum Frame {
    static let headerSize = 8
    private static let mark: UInt8 = 0xA5

    static func bytes(lane: Int, index: Int, size: Int) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(lane), mark, UInt8(index & 0xFF), UInt8(index >> 8)]
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: size >> shift)) }
        for place in headerSize..<max(size, headerSize) { bytes.append(body(lane, index, place)) }
        return bytes
    }

    fileprivate static func body(_ lane: Int, _ index: Int, _ place: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: lane &* 7 &+ index &* 13 &+ place)
    }

    fileprivate static func header(_ bytes: [UInt8]) -> (lane: Int, index: Int, size: Int)? {
        if bytes[1] != mark { return nil }
        let size = (0..<4).reduce(0) { $0 | Int(bytes[4 + $1]) << (8 * $1) }
        return (Int(bytes[0]), Int(bytes[2]) | Int(bytes[3]) << 8, size)
    }
}

/// Takes a stream apart into frames.
struct FrameParser {
    private var header: [UInt8] = []
    private var current: (lane: Int, index: Int, size: Int)?
    private var place = 0
    /// The number of whole frames of each lane.
    private(set) var whole: [Int: Int] = [:]
    /// The description of the first fault.
    private(set) var fault: String?

    /// True if the stream ends within a frame.
    var isCut: Bool { current != nil || !header.isEmpty }

    /// Takes the next bytes.
    ///
    /// - Parameter size: returns the size of a frame as it was sent, or nil if there is no such frame, or it was rejected.
    mutating func take(_ bytes: some Sequence<UInt8>, size: (_ lane: Int, _ index: Int) -> Int?) {
        for byte in bytes {
            if fault != nil { return }
            guard let frame = current else {
                header.append(byte)
                if header.count == Frame.headerSize { begin(size) }
                continue
            }
            if byte != Frame.body(frame.lane, frame.index, place) {
                fault = "byte \(place) of frame \(frame.index) of sender \(frame.lane) is wrong"
            }
            place += 1
            endIfWhole()
        }
    }

    private mutating func begin(_ size: (Int, Int) -> Int?) {
        guard let frame = Frame.header(header) else {
            fault = "bytes that are no frame: \(header)"
            return
        }
        let expected = whole[frame.lane, default: 0]
        if frame.index != expected {
            fault = "sender \(frame.lane): frame \(frame.index) where \(expected) should come: a hole or a double"
            return
        }
        guard size(frame.lane, frame.index) == frame.size else {
            fault = "sender \(frame.lane): frame \(frame.index) of \(frame.size) bytes was never accepted"
            return
        }
        header.removeAll(keepingCapacity: true)
        current = frame
        place = Frame.headerSize
        endIfWhole()
    }

    private mutating func endIfWhole() {
        guard let frame = current, place >= frame.size else { return }
        whole[frame.lane, default: 0] += 1
        current = nil
    }
}
