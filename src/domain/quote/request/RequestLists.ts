/** The elements of a quote request's lists (REQUEST-6, REQUEST-8). How many there may be is `RequestLimits`. */
import * as Schema from "effect/Schema"
import { HexFromString } from "../../encoding/Hex.ts"
import { Text, WireUint } from "./RequestValues.ts"

const EvmAddressText = Schema.String.check(
  Schema.isPattern(/^0x[a-fA-F0-9]{40}$/u, { expected: "an address: 0x and 40 hex digits" })
)

const Word = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,64}$/u, { expected: "0x and up to 64 hex digits" }))

/** An entry of `appFees` (REQUEST-28), before it is resolved. */
export const AppFeeParameter = Schema.Struct({
  recipient: Text.annotate({ description: "EVM address" }),
  fee: Schema.String.check(Schema.isPattern(/^[0-9]{1,5}$/u, { expected: "digits only: basis points" })).annotate({
    description: "basis points: \"100\" is 1 %"
  })
})
export type AppFeeParameter = typeof AppFeeParameter.Type

/** An entry of `txs` (REQUEST-6). `value` in wei. */
export const DestinationCall = Schema.Struct({
  to: Text,
  value: WireUint,
  data: HexFromString
})
export type DestinationCall = typeof DestinationCall.Type

/** An EIP-7702 authorization; chain 0 means any chain. */
export const Authorization = Schema.Struct({
  chainId: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  address: EvmAddressText,
  nonce: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  yParity: Schema.Literals([0, 1]),
  r: Word,
  s: Word
})
export type Authorization = typeof Authorization.Type

/** A list of swap sources to include or exclude (REQUEST-22). */
export const SwapSources = Schema.optionalKey(
  Schema.Array(Text).check(Schema.isMaxLength(100)).annotate({ description: "names of GET /swap-sources" })
)
