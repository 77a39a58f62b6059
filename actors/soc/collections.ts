/** Everything that the platform keeps in its store. */
import type { CollectionSpec } from "../../drivers/store/store.ts";
import { entityCollections } from "../outstanding.ts";
import { apiKeyCollection } from "./api-keys.ts";
import { caseWorkCollections } from "./case-work.ts";
import { revocationCollection } from "./identity.ts";
import { responseCollections } from "./response-work.ts";
import { userCollection } from "./users.ts";

export const socCollections: readonly CollectionSpec[] = [
  ...caseWorkCollections,
  userCollection,
  apiKeyCollection,
  revocationCollection,
  { name: "sites" },
  ...responseCollections,
  ...entityCollections([]),
];
