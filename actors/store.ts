import type { Store } from "../drivers/store/store.ts";
import type { Start } from "./client.ts";
import { startResource } from "./resource.ts";

/** The store as a child of the tree. That it cannot be reached is no crash; the log says when, and why. */
export function startStore(store: Store): Start {
  let ignore = () => {};
  return startResource({
    async open({ log }) {
      const say = (up: boolean) => {
        if (up) log.info("the store is up");
        else if (store.reason !== null) log.error(`the store is down: ${store.reason}`);
      };
      ignore = store.listen(say);
      await store.open();
      if (!store.up) say(false);
    },
    close() {
      ignore();
      return store.close();
    },
  });
}
