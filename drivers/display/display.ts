/** A drawn screen: 480 × 320 pixels, four bytes each (red, green, blue, unused), top row first. */
export interface Frame {
  width: number;
  height: number;
  pixels: Uint8Array;
}

export const screenWidth = 480;
export const screenHeight = 320;

/** A panel. `open` touches the world, `close` may be called twice. */
export interface DisplayDriver {
  readonly name: "framebuffer" | "memory";
  open(): Promise<void>;
  close(): Promise<void>;
  show(frame: Frame): Promise<void>;
}

/** Without a panel nothing is drawn until somebody asks for a screenshot. */
export class NoPanel implements DisplayDriver {
  readonly name = "memory";
  async open(): Promise<void> {}
  async close(): Promise<void> {}
  async show(): Promise<void> {}
}
