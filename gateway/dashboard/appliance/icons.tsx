const shapes = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  previous: "M6 5h2v14H6zM20 5v14L9 12z",
  next: "M16 5h2v14h-2zM4 5v14l11-7z",
  stop: "M6 6h12v12H6z",
} as const;

/** Drawn here, since not every machine has a font with these signs. */
export function Icon({ name }: { name: keyof typeof shapes }) {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false">
      <path d={shapes[name]} fill="currentColor" />
    </svg>
  );
}
