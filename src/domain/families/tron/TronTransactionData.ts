/** What a wallet of Tron signs (STEP-6). A shape only: the adapter builds it, and the family's `stepVerifier` checks it. */
import * as Schema from "effect/Schema"

const TronAccount = Schema.String.annotate({ description: "41 and 40 hex digits: send it with `visible: false`" })
const sun = Schema.Int.annotate({ description: "sun, a JSON number" })

/** A contract's call that a Tron wallet signs: the parameters of `wallet/triggersmartcontract`. */
export const TronCallData = Schema.Struct({
  type: Schema.Literal("TriggerSmartContract"),
  parameter: Schema.Struct({
    owner_address: TronAccount,
    contract_address: TronAccount,
    data: Schema.String.annotate({ description: "hex without 0x" }),
    call_value: sun
  })
}).annotate({ description: "tron-vm" })
export type TronCallData = typeof TronCallData.Type

/** A transfer of TRX that a Tron wallet signs: the parameters of `wallet/createtransaction`, and a memo. */
export const TronTransferData = Schema.Struct({
  type: Schema.Literal("TransferContract"),
  parameter: Schema.Struct({ owner_address: TronAccount, to_address: TronAccount, amount: sun }),
  memo: Schema.optionalKey(Schema.String.annotate({
    description:
      "the order's id, which the transaction must have as its memo (`raw_data.data`), as this text or as its 32 bytes; absent at a deposit address"
  }))
}).annotate({ description: "tron-vm: a step `send` of TRX, and a `deposit` of TRX at a deposit address" })
export type TronTransferData = typeof TronTransferData.Type
