/** The chain that the solver of orders belongs to and that holds app balances, with their token (BALANCE-2). */
import * as Context from "effect/Context"
import type { CurrencyAddress } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"

/** The chain that the solver of orders belongs to, and the token of app balances on it. */
export class SettlementChain extends Context.Service<SettlementChain, {
  readonly chain: Chain
  readonly token: CurrencyAddress
}>()("causeway/ports/SettlementChain") {}
