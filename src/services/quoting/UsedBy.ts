/**
 * The chains and currencies that a quote depends on: those of the request, those of its order, and the app balance that
 * pays its fees.
 */
import type { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import type { Used } from "../../domain/configuration/Compare.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"

const endsOf = ({ destination, destinationCurrency, origin, originCurrency }: ResolvedRequest): ReadonlyArray<Used> => [
  { chainId: origin.id, currencies: [originCurrency.address] },
  { chainId: destination.id, currencies: [destinationCurrency.address] }
]

/** `balance`: where the sponsor's balance is. Undefined without a sponsor. */
export const usedBy = (
  asked: ResolvedRequest,
  made: ResolvedRequest,
  balance: SettlementChain["Service"] | undefined
): ReadonlyArray<Used> => [
  ...endsOf(asked),
  ...endsOf(made),
  ...(balance === undefined ? [] : [{ chainId: balance.chain.id, currencies: [balance.token] }])
]
