/** Read-only calls over HTTP: on the tip's state or on the solidified one. */
import { Schema } from "effect"
import { keccak256 } from "viem/utils"
import { evmAddress, parseAccount } from "../Account.ts"
import type { EvmCall } from "../Evm.ts"
import { logOf } from "../Execution.ts"
import { intrinsicGas } from "../Fees.ts"
import type { RawData } from "../Transaction.ts"
import type { Answers, Asked } from "./Answers.ts"
import { unsigned } from "./Proposal.ts"
import { inHex, REVERTED } from "./Told.ts"
import type { View } from "./View.ts"

const Trigger = Schema.Struct({
  owner_address: Schema.String,
  contract_address: Schema.optionalKey(Schema.String),
  function_selector: Schema.optionalKey(Schema.String),
  parameter: Schema.optionalKey(Schema.String),
  data: Schema.optionalKey(Schema.String),
  call_value: Schema.optionalKey(Schema.Int),
  fee_limit: Schema.optionalKey(Schema.Int)
})

const NO_CONTRACT = {
  code: "CONTRACT_VALIDATE_ERROR",
  message: inHex("Contract validate error : No contract or not a valid smart contract")
}

const NO_MONEY = {
  code: "CONTRACT_VALIDATE_ERROR",
  message: inHex("Contract validate error : Validate InternalTransfer error, balance is not sufficient.")
}

/** The selector's first four bytes and the parameter, or the given data. */
const dataOf = ({ data, function_selector: selector, parameter = "" }: typeof Trigger.Type): string =>
  selector === undefined || selector === ""
    ? (data ?? "").replace(/^0x/u, "").toLowerCase()
    : `${keccak256(new TextEncoder().encode(selector)).slice(2, 10)}${parameter}`.toLowerCase()

/** Reads the call like a transaction's contract. Undefined when there is no such contract. */
const read = async (view: View, asked: Asked) => {
  const trigger = Schema.decodeUnknownSync(Trigger)(asked)
  const owner = parseAccount(trigger.owner_address)
  const contract = parseAccount(trigger.contract_address ?? "")
  if (
    owner === undefined || contract === undefined ||
    await view.chain.evm.code(evmAddress(contract), view.tip.evmHeight) === "0x"
  ) return undefined
  const data = dataOf(trigger)
  const callValue = trigger.call_value ?? 0
  const call: EvmCall = {
    from: evmAddress(owner),
    to: evmAddress(contract),
    data: `0x${data}`,
    value: BigInt(callValue)
  }
  const described: RawData["contract"][0] = {
    type: "TriggerSmartContract",
    parameter: {
      value: {
        owner_address: owner,
        contract_address: contract,
        ...(data === "" ? {} : { data }),
        ...(callValue === 0 ? {} : { call_value: callValue })
      },
      type_url: "type.googleapis.com/protocol.TriggerSmartContract"
    }
  }
  return { call, described, feeLimit: trigger.fee_limit }
}

const isBeyondBalance = async ({ chain: { evm }, tip }: View, { from, value = 0n }: EvmCall): Promise<boolean> =>
  value > 0n && await evm.balance(from, tip.evmHeight) < value

const energyOf = async ({ chain: { evm }, tip }: View, call: EvmCall): Promise<number> =>
  await evm.estimate(call, tip.evmHeight) - intrinsicGas(call.data ?? "0x")

export const callApi = (view: View): Answers => ({
  triggersmartcontract: async (asked) => {
    const found = await read(view, asked)
    if (found === undefined) return { result: NO_CONTRACT }
    return { result: { result: true }, transaction: unsigned(view, found.described, { feeLimit: found.feeLimit }) }
  },
  triggerconstantcontract: async (asked) => {
    const found = await read(view, asked)
    if (found === undefined) return { result: NO_CONTRACT }
    if (await isBeyondBalance(view, found.call)) return { result: NO_MONEY }
    const { data, succeeded } = await view.chain.evm.call(found.call, view.tip.evmHeight)
    const logs = succeeded ? await view.chain.evm.logs(found.call, view.tip.evmHeight) : []
    return {
      result: succeeded ? { result: true } : { result: true, message: inHex(REVERTED) },
      energy_used: succeeded ? await energyOf(view, found.call) : 0,
      constant_result: [data.slice(2)],
      ...(logs.length === 0 ? {} : { logs: logs.map(logOf) }),
      transaction: { ret: [succeeded ? {} : { ret: "FAILED" }], ...unsigned(view, found.described, {}) }
    }
  },
  estimateenergy: async (asked) => {
    const found = await read(view, asked)
    if (found === undefined) return { result: NO_CONTRACT }
    const { succeeded } = await view.chain.evm.call(found.call, view.tip.evmHeight)
    if (!succeeded) return { result: { code: "CONTRACT_EXE_ERROR", message: inHex(REVERTED) } }
    return { result: { result: true }, energy_required: await energyOf(view, found.call) }
  }
})
