import { useCallback, useEffect, useState } from "react";
import { call } from "./api.ts";
import type { Page } from "./records.ts";
import { onEvent } from "./stream.ts";

/** A list read once and kept current by the events of its resource, newest first. */
export function useLiveList<T extends { id: string }>(path: string, event: string): T[] {
  const [items, setItems] = useState<T[]>([]);
  const load = useCallback(() => {
    void call<Page<T>>("GET", path).then((page) => page && setItems(page.items));
  }, [path]);
  useEffect(load, [load]);
  useEffect(() => onEvent("hello", load), [load]);
  useEffect(
    () =>
      onEvent(event, (record) =>
        setItems((known) => {
          const changed = record as unknown as T;
          const at = known.findIndex(({ id }) => id === changed.id);
          return at < 0 ? [changed, ...known].slice(0, 200) : known.with(at, changed);
        }),
      ),
    [event],
  );
  return items;
}
