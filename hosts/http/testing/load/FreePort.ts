import { Effect } from "effect"
import { anyFree } from "../../../localnet/nodes/Port.ts"

/** A port on the loopback that nobody listens on now. */
export const freePort = (): Promise<number> => Effect.runPromise(anyFree)
