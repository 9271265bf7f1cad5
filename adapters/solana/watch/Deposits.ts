/**
 * The deposits of one transaction of a Solana chain, for the transfer service. Decoded like the oracle's evidence, but
 * from one endpoint and at commitment confirmed.
 */
import type { Signature } from "@solana/kit"
import { Result, Schema } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { depositsOf } from "../../../src/domain/families/solana/evidence/Deposits.ts"
import { vaultOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import type { SvmTransaction } from "../../../src/domain/families/solana/evidence/SvmTransaction.ts"
import { onchainId } from "../../../src/domain/hub/ProtocolId.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { RawTransaction } from "../decode/NodeAnswers.ts"
import { decodeTransaction } from "../decode/WireTransaction.ts"
import { blockAt } from "../pay/Landing.ts"
import { NodeIsBehind } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { NEWEST_VERSION } from "../rpc/TransactionVersion.ts"

const decodeRaw = Schema.decodeUnknownSync(RawTransaction)

/**
 * The owner of the money, who signed: the program moves money from its second account. The transaction's own payer may
 * be another account that only pays the fee.
 */
const senderOf = ({ instructions }: SvmTransaction, chain: Chain, index: number, depositor: Address): Address => {
  const instruction = instructions[index]
  return instruction?.program === chain.depository ? instruction.accounts[1] ?? depositor : depositor
}

/** Undefined when no confirmed block of the node has the transaction. Empty when it failed. */
export const depositsIn = async (
  client: SolanaClient,
  chain: Chain,
  signature: Signature
): Promise<ReadonlyArray<Deposit> | undefined> => {
  const shown = await client.getTransaction(signature, {
    commitment: "confirmed",
    encoding: "base64",
    maxSupportedTransactionVersion: NEWEST_VERSION
  }).send()
  if (shown === null) return undefined
  const vault = vaultOf(chain.depository)
  if (shown.meta?.err !== null || vault === undefined) return []
  const { blockTime, meta, slot, transaction: wire } = shown
  const raw = decodeRaw({
    slot: Number(slot),
    blockTime: blockTime === null ? null : Number(blockTime),
    transaction: wire,
    meta
  })
  const decoded = Result.getOrThrowWith(decodeTransaction(raw, chain.depository), () => new NodeIsBehind())
  if (decoded.id !== signature) throw new NodeIsBehind()
  const block = await blockAt(client, slot)
  const transactionId = Result.getOrThrow(parseTransactionId(chain.family, signature))
  return depositsOf(decoded.transaction, { program: chain.depository, vault }).map((
    { amount, currency, depositId, depositor, index }
  ) => ({
    onchainId: onchainId(chain.slug, transactionId, index),
    chainId: chain.id,
    transactionId,
    index,
    block,
    depositId,
    depositor,
    sender: senderOf(decoded.transaction, chain, index, depositor),
    currency,
    amount
  }))
}
