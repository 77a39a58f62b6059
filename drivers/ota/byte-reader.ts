/** Reads a stream in pieces of the reader's choosing; never holds more than one chunk and what was asked for. */
export class ByteReader {
  private readonly source: AsyncIterator<Uint8Array>;
  private rest: Buffer = Buffer.alloc(0);
  /** Bytes handed out so far. */
  offset = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** At least one and at most `max` bytes; null at the end. */
  async some(max: number): Promise<Buffer | null> {
    while (this.rest.length === 0) {
      const { value, done } = await this.source.next();
      if (done) return null;
      this.rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const piece = this.rest.subarray(0, max);
    this.rest = this.rest.subarray(piece.length);
    this.offset += piece.length;
    return piece;
  }

  /** Exactly `length` bytes; null when the stream ends before. */
  async exactly(length: number): Promise<Buffer | null> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0; ) {
      const piece = await this.some(left);
      if (!piece) return null;
      pieces.push(piece);
      left -= piece.length;
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  /** Lets go of the source before its end. */
  async cancel(): Promise<void> {
    await this.source.return?.();
  }
}
