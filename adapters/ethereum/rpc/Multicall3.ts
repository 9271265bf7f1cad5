/** Multicall3: at the same address on every public chain. Executes several calls in one transaction. */
import type { Address } from "../../../src/domain/chain/Address.ts"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { Schema } from "effect"

export const multicall3: Address = Schema.decodeUnknownSync(EthereumAddress)(
  "0xcA11bde05977b3631167028862bE2a173976CA11"
)
