import type { PlatformActors } from "../../actors/soc/platform.ts";

/** Who answers the platform's routes; a section adds its line to `PlatformActors`. */
export type SocActors = PlatformActors;
