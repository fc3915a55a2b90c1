// SPDX-License-Identifier: Apache-2.0

/// Cuts a stream of bytes, which comes in chunks, into frames.
///
/// After an error the splitter must not be used.
protocol FrameSplitter {
    /// Takes the next chunk of the stream. Must not be called before `next` has returned nil.
    mutating func append(_ chunk: ByteChunk)

    /// The next frame that is complete, or nil: then another chunk is needed, and the last one is released.
    ///
    /// A frame that lies within one chunk is a slice of it, any other is a copy.
    mutating func next() throws -> ByteChunk?

    /// Takes the bytes of the last chunk that are behind the last frame. Then another chunk is needed, of these bytes or what follows them.
    ///
    /// Not called after `next` has returned nil.
    mutating func takeRest() -> ByteChunk

    /// The last frame of a stream that has ended, if its end counts as one of a frame.
    mutating func last() throws -> ByteChunk?
}
