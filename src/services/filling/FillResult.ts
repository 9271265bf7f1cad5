/** The result of filling an order for a deposit, and how a workflow stores it. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { FailReason } from "../../domain/transfer/FailReason.ts"

/**
 * `Moved`: a reorg removed the deposit, and nothing more is paid for it here. In a block again, in any place, it has a
 * filling of its own. `Contended`: another deposit has the order's payment.
 */
export const FillResult = Schema.TaggedUnion({
  Filled: {},
  Refund: { reason: FailReason },
  Moved: {},
  Contended: {}
})
export type FillResult = typeof FillResult.Type

/** The order was paid. */
export const filled = { _tag: "Filled" } as const
/** A reorg removed the deposit. If it returns, its new sighting has its own filling. */
export const moved = { _tag: "Moved" } as const
/** Another deposit has the order's payment. */
export const contended = { _tag: "Contended" } as const
/** No fill will follow: the deposit is to be refunded, for this reason. */
export const refund = (reason: FailReason) => ({ _tag: "Refund", reason }) as const

/** One word, as every release has stored it: workflows of another release may run beside this one and read it. */
const StoredFill = Schema.Union([FailReason, Schema.Literal("none")])

const fromStored = (stored: typeof StoredFill.Type): FillResult => {
  switch (stored) {
    case "none":
      return filled
    case "DEPOSIT_REORGED":
      return moved
    case "DOUBLE_SPEND":
      return contended
    default:
      return refund(stored)
  }
}

const toStored = (result: FillResult): typeof StoredFill.Type => {
  switch (result._tag) {
    case "Filled":
      return "none"
    case "Moved":
      return "DEPOSIT_REORGED"
    case "Contended":
      return "DOUBLE_SPEND"
    case "Refund":
      return result.reason
  }
}

/** The result as workflows store it, in the words of the first release. */
export const FillResultStored = StoredFill.pipe(
  Schema.decodeTo(FillResult, SchemaTransformation.transform({ decode: fromStored, encode: toStored }))
)
