/**
 * A wallet by a signer of `@solana/kit`: a key pair, or a browser's wallet in that form. The instructions of a step go
 * into one transaction, unchanged and in their order.
 */
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createSolanaRpc,
  createTransactionMessage,
  fetchAddressesForLookupTables,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isTransactionSendingSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signAndSendTransactionMessageWithSigners,
  signature,
  signTransactionMessageWithSigners
} from "@solana/kit"
import type { Instruction, TransactionSigner } from "@solana/kit"
import { pause } from "../Track.ts"
import type { TransactionData, Wallet } from "../Wallet.ts"

/** What the wallet is made from. */
export interface SolanaWalletOptions {
  /** Of the `user` of the quote. */
  readonly signer: TransactionSigner
  /** A node's JSON-RPC. */
  readonly rpcUrl: string
  /** Milliseconds between two looks at a transaction, 500 by default. */
  readonly pollEvery?: number
}

type SolanaData = Extract<TransactionData, { readonly instructions: ReadonlyArray<unknown> }>
type Key = SolanaData["instructions"][number]["keys"][number]

const isSolana = (data: TransactionData): data is SolanaData => "instructions" in data

const roleOf = ({ isSigner, isWritable }: Key): AccountRole => {
  if (isSigner) return isWritable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER
  return isWritable ? AccountRole.WRITABLE : AccountRole.READONLY
}

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))

const instructionOf = ({ data, keys, programId }: SolanaData["instructions"][number]): Instruction => ({
  programAddress: address(programId),
  accounts: keys.map((key) => ({ address: address(key.pubkey), role: roleOf(key) })),
  data: bytesOf(data)
})

/** A transaction that asks another one than the signer to pay its fee is refused: that one signs first. */
export const solanaWallet = ({ pollEvery = 500, rpcUrl, signer }: SolanaWalletOptions): Wallet => {
  const rpc = createSolanaRpc(rpcUrl)
  /** The last block in which a transaction can be, by its id. */
  const lasts = new Map<string, bigint>()

  const build = async (data: SolanaData) => {
    const tables = data.addressLookupTableAddresses.map((each) => address(each))
    const [{ value: recent }, addresses] = await Promise.all([
      rpc.getLatestBlockhash().send(),
      tables.length === 0 ? {} : fetchAddressesForLookupTables(tables, rpc)
    ])
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayerSigner(signer, empty),
      (payed) => setTransactionMessageLifetimeUsingBlockhash(recent, payed),
      (timed) => appendTransactionMessageInstructions(data.instructions.map(instructionOf), timed),
      (whole) => compressTransactionMessageUsingAddressLookupTables(whole, addresses)
    )
    return { message, last: recent.lastValidBlockHeight }
  }

  return {
    send: async (data) => {
      if (!isSolana(data)) throw new Error("this transaction is not one of Solana")
      if (data.feePayer !== undefined && data.feePayer !== signer.address) {
        throw new Error(`${data.feePayer} pays the fee, and signs first`)
      }
      const { last, message } = await build(data)
      if (isTransactionSendingSigner(signer)) {
        const id = getBase58Decoder().decode(await signAndSendTransactionMessageWithSigners(message))
        lasts.set(id, last)
        return id
      }
      const signed = await signTransactionMessageWithSigners(message)
      const id = getSignatureFromTransaction(signed)
      lasts.set(id, last)
      await rpc.sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: "base64" }).send()
      return id
    },
    succeeded: async (id) => {
      while (true) {
        // The height first: a transaction that is in none of the blocks up to it cannot be in a later one.
        const height = await rpc.getBlockHeight({ commitment: "finalized" }).send().catch(() => 0n)
        const found = await rpc.getSignatureStatuses([signature(id)], { searchTransactionHistory: true }).send().catch(
          () => undefined
        )
        const status = found?.value[0]
        if (status !== null && status !== undefined && status.confirmationStatus !== "processed") {
          if (status.err === null) return
          throw new Error(`the transaction ${id} failed`)
        }
        const last = lasts.get(id)
        if (found !== undefined && last !== undefined && height > last) throw new Error(`the transaction ${id} expired`)
        await pause(pollEvery)
      }
    }
  }
}
