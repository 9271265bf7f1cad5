/** What only `/wallet` does: it proposes transactions, checks their signatures and accepts them. */
import { Schema } from "effect"
import { parseAccount } from "../Account.ts"
import { MOST_FEE_LIMIT, prices } from "../Fees.ts"
import { readHex } from "../ReadHex.ts"
import { Refusal } from "../Refusal.ts"
import { requireContract } from "../Rules.ts"
import { ownerOf, Unsigned } from "../Transaction.ts"
import type { Answers } from "./Answers.ts"
import { unsigned } from "./Proposal.ts"
import { inHex, tellTransaction } from "./Told.ts"
import type { View } from "./View.ts"

const Transfer = Schema.Struct({
  owner_address: Schema.String,
  to_address: Schema.String,
  amount: Schema.Int,
  extra_data: Schema.optionalKey(Schema.String)
})

/** One key for each account, with weight one. There are no other permissions here. */
const ownerPermission = (owner: string) => ({
  permission_name: "owner",
  threshold: 1,
  keys: [{ address: owner, weight: 1 }]
})

export const sendApi = (view: View): Answers => {
  const { chain } = view
  return {
    broadcasttransaction: async (asked) => {
      const said = typeof asked.txID === "string" ? { txid: asked.txID } : {}
      try {
        return { result: true, txid: await chain.submit(asked) }
      } catch (cause) {
        if (!(cause instanceof Refusal)) throw cause
        return { code: cause.code, ...said, message: inHex(cause.message) }
      }
    },
    /** The signed bytes. Its refusals are text, those of the other way are hex. */
    broadcasthex: async ({ transaction }) => {
      const read = typeof transaction === "string" ? readHex(transaction) : undefined
      if (read === undefined) throw new Error("class java.lang.IllegalArgumentException : not a transaction")
      try {
        return { result: true, code: "SUCCESS", txid: await chain.submit(read), message: "" }
      } catch (cause) {
        if (!(cause instanceof Refusal)) throw cause
        return { result: false, code: cause.code, message: cause.message }
      }
    },
    createtransaction: async (asked) => {
      const { amount, extra_data, owner_address, to_address } = Schema.decodeUnknownSync(Transfer)(asked)
      const [owner, to] = [parseAccount(owner_address), parseAccount(to_address)]
      if (owner === undefined || to === undefined) {
        throw new Error(
          "class org.tron.core.exception.ContractValidateException : Contract validate error : Invalid ownerAddress!"
        )
      }
      const made = unsigned(view, {
        type: "TransferContract",
        parameter: {
          value: { owner_address: owner, to_address: to, amount },
          type_url: "type.googleapis.com/protocol.TransferContract"
        }
      }, { memo: extra_data })
      try {
        await requireContract(made.raw_data, chain.evm, view.tip.evmHeight)
      } catch (cause) {
        if (!(cause instanceof Refusal)) throw cause
        throw new Error(`class org.tron.core.exception.ContractValidateException : ${cause.message}`, { cause })
      }
      return made
    },
    /** tronweb calls it to get the id of a transaction that it has changed, for example by a memo. */
    getsignweight: (asked) => {
      const { raw_data } = Schema.decodeUnknownSync(Unsigned)(asked)
      const signature = Array.isArray(asked.signature) ? asked.signature.map(String) : []
      const transaction = { ...chain.encode(raw_data), raw_data, signature }
      return {
        result: { code: signature.length === 0 ? "NOT_ENOUGH_PERMISSION" : "ENOUGH_PERMISSION" },
        permission: ownerPermission(ownerOf(transaction)),
        ...(signature.length === 0 ? {} : { current_weight: 1 }),
        transaction: { result: { result: true }, txid: transaction.txID, transaction: tellTransaction(transaction) }
      }
    },
    gettransactionfrompending: ({ value }) => {
      const found = chain.waiting().find(({ txID }) => txID === value)
      return found === undefined ? {} : tellTransaction(found)
    },
    gettransactionlistfrompending: () => ({ txId: chain.waiting().map(({ txID }) => txID) }),
    getpendingsize: () => ({ pendingTransactionSize: chain.waiting().length }),
    getchainparameters: () => ({
      chainParameter: [
        { key: "getTransactionFee", value: prices.bandwidth },
        { key: "getEnergyFee", value: prices.energy },
        { key: "getMemoFee", value: prices.memo },
        { key: "getCreateAccountFee", value: prices.createAccount },
        { key: "getCreateNewAccountFeeInSystemContract", value: prices.createAccountInContract },
        { key: "getMaxFeeLimit", value: MOST_FEE_LIMIT }
      ]
    }),
    getenergyprices: () => ({ prices: `0:${prices.energy}` }),
    getbandwidthprices: () => ({ prices: `0:${prices.bandwidth}` })
  }
}
