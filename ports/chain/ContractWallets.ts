/** Contract wallets, which decide themselves whether they have signed something (EIP-1271). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Hex, Hex32 } from "../../src/domain/encoding/Hex.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** Whether a contract wallet accepts a signature as its own (EIP-1271). Errors: the chain cannot be read. */
export class ContractWallets extends Context.Service<ContractWallets, {
  /**
   * Whether the contract at this address accepts the signature of the digest as its own, now. False where there is no
   * contract.
   */
  readonly hasSigned: (
    chain: Chain,
    wallet: Address,
    digest: Hex32,
    signature: Hex
  ) => Effect.Effect<boolean, ChainUnavailable>
}>()("causeway/ports/ContractWallets") {}

/** The family of each call of this port. */
export const routeContractWallets: Routing<ContractWallets["Service"]> = (to) => ({
  hasSigned: to((it) => it.hasSigned, ofChain)
})
