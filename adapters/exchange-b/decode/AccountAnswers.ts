/** What deposits and checks need of an account of exchange B: owner, mode, and what it has received. Pure, total. */
import { Schema } from "effect"
import { Count } from "../../quorum/rpc/ExactJson.ts"
import { Hash } from "./NodeAnswers.ts"

const Owned = Schema.Struct({ index: Count, l1_address: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/)) })

/** The Ethereum account that owns an account. */
export const OwnerAnswer = Schema.Struct({ accounts: Schema.Array(Owned).check(Schema.isMaxLength(1)) })

/** How an account keeps its balances: 0 apart, 1 as one. Older answers do not say so. */
export const Mode = Schema.optionalKey(Schema.NullOr(Schema.Int))
export const ModeAnswer = Schema.Struct({
  accounts: Schema.Array(Schema.Struct({ index: Count, account_trading_mode: Mode })).check(Schema.isMaxLength(1))
})

/** A transfer from another account. */
const INFLOW = "L2TransferInflow"

/** An executed transfer of an account's list. It has neither memo nor sequence. */
const Listed = Schema.Struct({
  /** Absent in older answers. */
  type: Schema.optionalKey(Schema.NullOr(Schema.String)),
  tx_hash: Hash,
  /** Milliseconds. */
  timestamp: Count,
  from_account_index: Count,
  to_account_index: Count
})

/** The list also shows shares of pools and stakes, of which nothing is read. */
const Other = Schema.Struct({
  type: Schema.String.check(Schema.makeFilter((type) => type !== INFLOW, { title: `not ${INFLOW}` }))
})

/** Whether a listed transfer may be one from another account. */
export const mayFlowIn = ({ type }: typeof Listed.Type): boolean =>
  type === undefined || type === null || type === INFLOW

/** A page, newest first. An empty cursor: it is the last one. */
export const TransfersAnswer = Schema.Struct({
  transfers: Schema.Array(Schema.Union([Listed, Other])).check(Schema.isMaxLength(1_000)),
  cursor: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(1_000)))
})
