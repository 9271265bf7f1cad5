/**
 * Converts a transaction's wire bytes, and its effects according to a node, to the form that deposits and payments are
 * decoded from.
 *
 * Instructions come from the signed bytes. Each is followed by the inner instructions that the node says it made.
 * Accounts of lookup tables are those that were loaded at the time, so a table that was closed since does not matter.
 * Data that programs pass to each other are decoded only where they are read, for the depository and memos.
 */
import { addressCodec } from "../../../src/domain/families/index.ts"
import {
  getAccountMetasFromCompiledTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getInstructionsFromCompiledTransactionMessage,
  getSignatureFromTransaction,
  getTransactionDecoder,
  address as kitAddress
} from "@solana/kit"
import { Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type {
  SvmInstruction,
  SvmTokens,
  SvmTransaction
} from "../../../src/domain/families/solana/evidence/SvmTransaction.ts"
import { programs } from "../../../src/domain/families/solana/evidence/Programs.ts"
import { dataOfBase58 } from "./InstructionData.ts"
import { bytesOfBase64, MOST_INSTRUCTIONS } from "./NodeAnswers.ts"
import type { Meta, RawTransaction, TokenBalance } from "./NodeAnswers.ts"

const { parse } = addressCodec("solana-vm")

/** Throws for what no node may answer. Caught below, where it means that the endpoint is of no use. */
const at = <A>(list: ReadonlyArray<A>, index: number): A => {
  const found = list[index]
  if (found === undefined) throw new RangeError(`nothing at ${index}`)
  return found
}

const tokensOf = (
  balances: ReadonlyArray<TokenBalance>,
  accounts: ReadonlyArray<Address>
): ReadonlyArray<SvmTokens> => {
  if (new Set(balances.map(({ accountIndex }) => accountIndex)).size < balances.length) {
    throw new RangeError("a token account twice")
  }
  return balances.map(({ accountIndex, mint, owner, uiTokenAmount: { amount } }) => ({
    account: at(accounts, accountIndex),
    mint,
    owner,
    amount
  }))
}

const UNREAD = new Uint8Array()

const dataOf = (program: Address, text: string, depository: Address): Uint8Array => {
  if (program !== depository && program !== programs.memo) return UNREAD
  const data = dataOfBase58(text)
  if (data === undefined) throw new RangeError("no base58")
  return data
}

/** Each top-level instruction, followed by its inner instructions. */
const flattened = (
  outer: ReadonlyArray<SvmInstruction>,
  { innerInstructions }: Meta,
  accounts: ReadonlyArray<Address>,
  depository: Address
): ReadonlyArray<SvmInstruction> => {
  const inner = new Map(innerInstructions.map(({ index, instructions }) => [index, instructions]))
  if (inner.size < innerInstructions.length || innerInstructions.some(({ index }) => index >= outer.length)) {
    throw new RangeError("inner instructions of nothing")
  }
  return outer.flatMap((instruction, index) => [
    instruction,
    ...(inner.get(index) ?? []).map((made): SvmInstruction => ({
      program: at(accounts, made.programIdIndex),
      accounts: made.accounts.map((each) => at(accounts, each)),
      data: dataOf(at(accounts, made.programIdIndex), made.data, depository),
      isTopLevel: false
    }))
  ])
}

export interface DecodedTransaction {
  /** The first signature, which identifies the transaction. */
  readonly id: string
  readonly transaction: SvmTransaction
}

/** Fails without a reason when the bytes are not a transaction, or the node's effects do not fit them. */
export const decodeTransaction = (
  { meta, transaction: [wire] }: RawTransaction,
  depository: Address
): Result.Result<DecodedTransaction, void> =>
  Result.try({
    try: () => {
      const sent = getTransactionDecoder().decode(bytesOfBase64(wire))
      const message = getCompiledTransactionMessageDecoder().decode(sent.messageBytes)
      const { readonly = [], writable = [] } = meta.loadedAddresses ?? {}
      const loaded = {
        writable: writable.map((each) => kitAddress(each)),
        readonly: readonly.map((each) => kitAddress(each))
      }
      // The decoder spells an address in one way only, so each is parsed once, however often it occurs.
      const metas = getAccountMetasFromCompiledTransactionMessage(message, loaded)
      const spelled = new Map<string, Address>(metas.map(({ address }) => [address, Result.getOrThrow(parse(address))]))
      const known = (text: string): Address => spelled.get(text) ?? Result.getOrThrow(parse(text))
      const accounts = metas.map(({ address }) => known(address))
      const { postBalances, postTokenBalances, preBalances, preTokenBalances } = meta
      if (preBalances.length !== accounts.length || postBalances.length !== accounts.length) {
        throw new RangeError("balances of other accounts")
      }
      const sentInstructions = getInstructionsFromCompiledTransactionMessage(message, loaded)
      if (sentInstructions.length > MOST_INSTRUCTIONS) throw new RangeError("more instructions than a cluster executes")
      const outer = sentInstructions.map((instruction): SvmInstruction => ({
        program: known(instruction.programAddress),
        accounts: (instruction.accounts ?? []).map(({ address }) => known(address)),
        data: Uint8Array.from(instruction.data ?? []),
        isTopLevel: true
      }))
      return {
        id: getSignatureFromTransaction(sent),
        transaction: {
          instructions: flattened(outer, meta, accounts, depository),
          lamports: accounts.map((account, index) => ({
            account,
            before: at(preBalances, index),
            after: at(postBalances, index)
          })),
          tokensBefore: tokensOf(preTokenBalances, accounts),
          tokensAfter: tokensOf(postTokenBalances, accounts)
        }
      }
    },
    catch: () => undefined
  })
