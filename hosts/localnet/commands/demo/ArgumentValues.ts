/**
 * Parses the values in the arguments of the local network's commands. A wrong value is refused with the command's
 * usage. Pure.
 */
import { Result } from "effect"
import type { Address } from "viem"
import { getAddress, isAddress, parseUnits } from "viem/utils"
import { maybe, USAGE } from "../../../cli/Program.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import type { Currency } from "./DemoChain.ts"
import type { HubAccess } from "./Settlement.ts"

export type Refuse = (message: string) => Result.Result<never, LocalnetError>

/** Refusals that end with the command's usage. */
export const refusing = (usage: string): Refuse => (message) =>
  Result.fail(new LocalnetError({ message: `${message}\nusage: ${usage}`, reason: USAGE }))

/** Flags of every command. Each command adds its own. */
export const common = {
  recipient: maybe("recipient", "who receives it")
}

/** The currency with this symbol, in upper or lower case. */
export const currencyOf = <A extends string>(
  currencies: ReadonlyArray<Currency<A>>,
  symbol: string
): Currency<A> | undefined => currencies.find((currency) => currency.symbol.toUpperCase() === symbol.toUpperCase())

export const symbolsOf = (currencies: ReadonlyArray<Currency>): string =>
  currencies.map(({ symbol }) => symbol).join(", ")

/** A decimal amount in smallest units: exact, and more than zero. */
export const amountOf = (
  text: string,
  { decimals, symbol }: Currency,
  fail: Refuse
): Result.Result<bigint, LocalnetError> => {
  const parts = /^([0-9]{1,60})(?:\.([0-9]{1,60}))?$/.exec(text)
  if (parts === null) return fail(`--amount ${text} is no decimal number`)
  if ((parts[2] ?? "").length > decimals) {
    return fail(`--amount ${text} has more than the ${decimals} decimals of ${symbol}`)
  }
  const amount = parseUnits(text, decimals)
  return amount === 0n ? fail("--amount must be more than zero") : Result.succeed(amount)
}

export const recipientOf = (
  text: string | undefined,
  unless: Address,
  fail: Refuse
): Result.Result<Address, LocalnetError> => {
  if (text === undefined) return Result.succeed(unless)
  return isAddress(text)
    ? Result.succeed(getAddress(text))
    : fail(`--recipient ${text} is no address (or its checksum is wrong)`)
}

export const hubOf = ({ hub }: Localnet): HubAccess => ({
  id: "hub",
  chainId: hub.chainId,
  rpcUrl: hub.rpcUrl,
  hubAddress: getAddress(hub.hubAddress),
  oracleAddress: getAddress(hub.oracleAddress)
})
