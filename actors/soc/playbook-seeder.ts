import type { Store } from "../../drivers/store/store.ts";
import type { Start } from "../client.ts";
import { startResource } from "../resource.ts";
import type { Playbooks } from "./playbooks.ts";

/** The child of the tree that gives a fresh store the built-in playbooks, as soon as there is one. */
export function startPlaybookSeeder(playbooks: Playbooks, store: Store): Start {
  let unlisten = () => {};
  return startResource({
    open: async ({ log }) => {
      const seed = () =>
        playbooks.seed().catch((error) => log.debug({ err: error }, "playbooks could not be seeded"));
      unlisten = store.listen((up) => void (up && seed()));
      if (store.up) await seed();
    },
    close: () => unlisten(),
  });
}
