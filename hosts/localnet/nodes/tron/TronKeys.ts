/**
 * The solver's key on Tron, derived from its key on the EVM chains: no secret of the transfer service may equal another.
 *
 * SECURITY: the EVM key reveals the Tron key, but not the other way round (sha256).
 */
import type { Keys } from "../../run/state/Keys.ts"
import { keyOfName } from "./node/LocalKey.ts"
import type { TronKey } from "./node/LocalKey.ts"

export const tronSolver = ({ solver }: Pick<Keys, "solver">): TronKey => keyOfName(`causeway.localnet.tron:${solver}`)
