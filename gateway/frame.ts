/** One WebSocket frame of text, unmasked, as a server sends it; made once for all its receivers. */
export function textFrame(text: string): Buffer {
  return frame(0x81, text, Buffer.byteLength(text));
}

export const pingFrame = frame(0x89, "", 0);

function frame(head: number, text: string, length: number): Buffer {
  const offset = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const bytes = Buffer.allocUnsafe(offset + length);
  bytes[0] = head;
  if (offset === 2) bytes[1] = length;
  else if (offset === 4) {
    bytes[1] = 126;
    bytes.writeUInt16BE(length, 2);
  } else {
    bytes[1] = 127;
    bytes.writeBigUInt64BE(BigInt(length), 2);
  }
  bytes.write(text, offset);
  return bytes;
}
