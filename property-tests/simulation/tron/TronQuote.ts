/** What a quote from the Tron chain asks its user to sign. */
import { Schema } from "effect"
import { Address } from "../../../src/domain/chain/Address.ts"
import { Hex } from "../../../src/domain/encoding/Hex.ts"
import type { RawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import type { Quote } from "../../../src/domain/quote/wire/Quote.ts"

const decode = Schema.decodeUnknownSync(Schema.Union([
  Schema.Struct({
    type: Schema.Literal("TriggerSmartContract"),
    parameter: Schema.Struct({
      owner_address: Schema.String,
      contract_address: Schema.String,
      data: Schema.String,
      call_value: Schema.Int
    })
  }),
  Schema.Struct({
    type: Schema.Literal("TransferContract"),
    parameter: Schema.Struct({ owner_address: Schema.String, to_address: Schema.String, amount: Schema.Int })
  })
]))

const accountOf = (digits: string): Address => Address.make(`0x${digits.slice(2)}`)

/** What is to be signed in all steps, approvals first. TRX to a deposit address are a plain transfer. */
export const callsOf = ({ steps }: Quote): ReadonlyArray<RawData["act"]> =>
  steps.flatMap(({ items }) =>
    items.map(({ data }) => {
      const asked = decode(data)
      if (asked.type === "TransferContract") {
        const { amount, owner_address, to_address } = asked.parameter
        return { _tag: "Transfer", owner: accountOf(owner_address), to: accountOf(to_address), amount: BigInt(amount) }
      }
      const { call_value, contract_address, data: digits, owner_address } = asked.parameter
      return {
        _tag: "Trigger",
        owner: accountOf(owner_address),
        contract: accountOf(contract_address),
        value: BigInt(call_value),
        input: Hex.make(`0x${digits}`)
      }
    })
  )

/** The order that the call of the depository names: its last argument. For a deposit address the quote alone names it. */
export const orderOf = (quote: Quote): string => {
  const named = quote.protocol?.v2.orderId
  if (named !== undefined) return named
  const last = callsOf(quote).at(-1)
  return last?._tag === "Trigger" ? `0x${last.input.slice(-64)}` : ""
}
