/**
 * The prices among a Tron chain's parameters. Pure, total.
 *
 * SECURITY: a node leaves out a value that is zero, but not its key. A parameter without a key is no price of zero.
 */
import { Result, Schema } from "effect"
import type { TronPrices } from "../../../src/domain/families/tron/cost/TronCosts.ts"

const Parameter = Schema.Struct({ key: Schema.String, value: Schema.optionalKey(Schema.Int) })
const decode = Schema.decodeUnknownResult(Schema.Struct({ chainParameter: Schema.Array(Parameter) }))

/** Undefined when one of them is missing or below zero. */
export const pricesIn = (answer: unknown): TronPrices | undefined => {
  const told = decode(answer)
  if (Result.isFailure(told)) return undefined
  const values = new Map(told.success.chainParameter.map(({ key, value = 0 }) => [key, BigInt(value)]))
  const [energy, bandwidth, memo, accountFee, accountFeeOfContracts, mostFeeLimit] = [
    "getEnergyFee",
    "getTransactionFee",
    "getMemoFee",
    "getCreateAccountFee",
    "getCreateNewAccountFeeInSystemContract",
    "getMaxFeeLimit"
  ].map((key) => values.get(key))
  if (
    energy === undefined || bandwidth === undefined || memo === undefined || accountFee === undefined ||
    accountFeeOfContracts === undefined || mostFeeLimit === undefined
  ) return undefined
  const prices = { energy, bandwidth, memo, newAccount: accountFee + accountFeeOfContracts, mostFeeLimit }
  return Object.values(prices).every((price) => price >= 0n) ? prices : undefined
}
