/** Converts a currency of the chains file to the domain's, and reports problems with the name of their chain. */
import { Result } from "effect"
import type { AddressCodec } from "../../../src/domain/chain/Address.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import type { ChainEntry, CurrencyEntry } from "./ChainsFile.ts"
import { Problem } from "../Variables.ts"

/** A problem of one chain, named by its id. */
export const problem = (entry: Pick<ChainEntry, "id">, message: string) =>
  Result.fail(new Problem({ message: `chain ${entry.id}: ${message}` }))

/** `codec`: the address codec of the entry's chain. */
export const currencyOf = (
  entry: Pick<ChainEntry, "chainId" | "id">,
  listed: CurrencyEntry,
  codec: AddressCodec
): Result.Result<Currency, Problem> => {
  const address = codec.parseCurrency(listed.address)
  if (Result.isFailure(address)) return problem(entry, `currency ${listed.symbol}: ${address.failure.reason}`)
  return Result.succeed({
    chainId: entry.chainId,
    address: address.success,
    symbol: listed.symbol,
    name: listed.name,
    decimals: listed.decimals,
    isNative: address.success === codec.nativeCurrency,
    ...(listed.logoUri === undefined ? {} : { logoUri: listed.logoUri })
  })
}
