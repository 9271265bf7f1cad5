/** What a quote from the Tron chain asks its user to sign. */
import { Schema } from "effect"
import { Address } from "../../../src/domain/chain/Address.ts"
import { Hex } from "../../../src/domain/encoding/Hex.ts"
import type { RawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import type { Quote } from "../../../src/domain/quote/wire/Quote.ts"

const decode = Schema.decodeUnknownSync(
  Schema.Struct({
    parameter: Schema.Struct({
      owner_address: Schema.String,
      contract_address: Schema.String,
      data: Schema.String,
      call_value: Schema.Int
    })
  })
)

const accountOf = (digits: string): Address => Address.make(`0x${digits.slice(2)}`)

/** The calls of all steps, approvals first. */
export const callsOf = ({ steps }: Quote): ReadonlyArray<RawData["act"]> =>
  steps.flatMap(({ items }) =>
    items.map(({ data }) => {
      const { call_value, contract_address, data: digits, owner_address } = decode(data).parameter
      return {
        _tag: "Trigger",
        owner: accountOf(owner_address),
        contract: accountOf(contract_address),
        value: BigInt(call_value),
        input: Hex.make(`0x${digits}`)
      }
    })
  )

/** The order that the call of the depository names: its last argument. */
export const orderOf = (quote: Quote): string => {
  const last = callsOf(quote).at(-1)
  return last?._tag === "Trigger" ? `0x${last.input.slice(-64)}` : ""
}
