/**
 * Blocks, transactions, accounts and contracts over HTTP: `/wallet` and `/walletsolidity` both have these, each with
 * its own view.
 */
import type { NodeAddress } from "../Account.ts"
import { base58Of, evmAddress, parseAccount } from "../Account.ts"
import { isCreation } from "../Execution.ts"
import type { Answers } from "./Answers.ts"
import { tellBlock, tellExecuted, tellHeader, tellInfo } from "./Told.ts"
import type { View } from "./View.ts"

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const id = (value: unknown): string => text(value).replace(/^0x/u, "").toLowerCase()
const number = (value: unknown): number => (value === undefined ? 0 : Number(value))

const accountIn = (value: unknown): NodeAddress => {
  const account = parseAccount(text(value))
  if (account === undefined) throw new Error("class java.lang.IllegalArgumentException : invalid address")
  return account
}

/** By height or by id. The tip when neither is given. */
const blockIn = (view: View, asked: unknown) => {
  if (asked === undefined || asked === "") return view.tip
  return typeof asked === "string" && /^[0-9a-f]{64}$/iu.test(asked)
    ? view.byHash(asked.toLowerCase())
    : view.block(Number(asked))
}

const isTrue = (value: unknown): boolean => value === true || value === "true"

const contractOf = async (view: View, account: NodeAddress) => {
  const code = await view.chain.evm.code(evmAddress(account), view.tip.evmHeight)
  if (code === "0x") return undefined
  for (const { executed } of view.chain.ledger.from(1, view.tip.number)) {
    for (const { created, transaction } of executed) {
      const [{ parameter: { value } }] = transaction.raw_data.contract
      if (created === account && isCreation(transaction) && "new_contract" in value) {
        return { code, contract: { ...value.new_contract, contract_address: account } }
      }
    }
  }
  return { code, contract: { contract_address: account, abi: {}, bytecode: code.slice(2) } }
}

export const readApi = (view: View): Answers => {
  const { chain: { evm } } = view
  const blocks = (first: number, after: number) => ({
    block: Array.from({ length: Math.max(0, Math.min(after - first, 100)) }, (_, at) => view.block(first + at)).flatMap(
      (block) => (block === undefined ? [] : [tellBlock(block)])
    )
  })
  return {
    getnowblock: () => tellBlock(view.tip),
    getblock: ({ detail, id_or_num }) => {
      const block = blockIn(view, id_or_num)
      return block === undefined ? {} : isTrue(detail) ? tellBlock(block) : tellHeader(block)
    },
    getblockbynum: ({ num }) => {
      const block = view.block(number(num))
      return block === undefined ? {} : tellBlock(block)
    },
    getblockbyid: ({ value }) => {
      const block = view.byHash(id(value))
      return block === undefined ? {} : tellBlock(block)
    },
    getblockbylimitnext: ({ endNum, startNum }) => blocks(number(startNum), number(endNum)),
    getblockbylatestnum: ({ num }) => blocks(Math.max(0, view.tip.number + 1 - number(num)), view.tip.number + 1),
    gettransactionbyid: ({ value }) => {
      const place = view.placeOf(id(value))
      return place === undefined ? {} : tellExecuted(place.executed)
    },
    gettransactioninfobyid: ({ value }) => {
      const place = view.placeOf(id(value))
      return place === undefined ? {} : tellInfo(place)
    },
    gettransactioninfobyblocknum: ({ num }) => {
      const block = view.block(number(num))
      return (block?.executed ?? []).map((executed, index) => tellInfo({ block: block ?? view.tip, executed, index }))
    },
    getaccount: async ({ address, visible }) => {
      const account = accountIn(address)
      const balance = await evm.balance(evmAddress(account), view.tip.evmHeight)
      const isContract = await evm.code(evmAddress(account), view.tip.evmHeight) !== "0x"
      if (balance === 0n && !isContract) return {}
      return {
        address: isTrue(visible) ? base58Of(evmAddress(account)) : account,
        ...(isContract ? { type: "Contract" } : {}),
        ...(balance === 0n ? {} : { balance: Number(balance) })
      }
    },
    getaccountresource: ({ address }) => {
      accountIn(address)
      return {
        TotalNetLimit: 43_200_000_000,
        TotalNetWeight: 0,
        TotalEnergyLimit: 180_000_000_000,
        TotalEnergyWeight: 0
      }
    },
    getaccountnet: ({ address }) => {
      accountIn(address)
      return { TotalNetLimit: 43_200_000_000 }
    },
    getcontract: async ({ value }) => (await contractOf(view, accountIn(value)))?.contract ?? {},
    getcontractinfo: async ({ value }) => {
      const found = await contractOf(view, accountIn(value))
      return found === undefined ? {} : { smart_contract: found.contract, runtimecode: found.code.slice(2) }
    }
  }
}
