/** The light behind the screen, 0 to 255 whatever the panel's own steps are. */
export interface Backlight {
  readonly name: "sysfs" | "memory";
  set(brightness: number): Promise<void>;
}

export class MemoryBacklight implements Backlight {
  readonly name = "memory";
  brightness = 255;

  async set(brightness: number): Promise<void> {
    this.brightness = brightness;
  }
}
