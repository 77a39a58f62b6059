/** A music player as the bench sees it, whatever it speaks. */
export interface Player {
  status(): Promise<{ positionMs: number }>;
  /** Plays one of the files; resolves with the player's own reply. */
  play(file: string): Promise<void>;
  pause(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when it listens; calls at the next push that says it is paused. */
  oncePaused(listener: () => void): Promise<void>;
  close(): void;
}

/** How a player is run and reached. */
export interface Peer {
  name: string;
  program: { command: string; args: readonly string[]; env?: Record<string, string> };
  /** Rejects while it cannot be reached. */
  ask(): Promise<unknown>;
  connect(): Promise<Player>;
}
