/** A step of a quote on Solana by `@solana/kit`: its instructions, unchanged and in their order, in one transaction. */
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createSolanaRpc,
  createTransactionMessage,
  fetchAddressesForLookupTables,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners
} from "@solana/kit"
import type { TransactionSigner } from "@solana/kit"

/** `steps[].items[].data`. Swaps come with lookup tables, without which a long route does not fit into a transaction. */
export interface SolanaData {
  readonly instructions: ReadonlyArray<{
    readonly programId: string
    readonly keys: ReadonlyArray<{ readonly pubkey: string; readonly isSigner: boolean; readonly isWritable: boolean }>
    readonly data: string
  }>
  readonly addressLookupTableAddresses: ReadonlyArray<string>
}

/** Returns the transaction's id. */
export const sendOnSolana = async (rpcUrl: string, signer: TransactionSigner, data: SolanaData): Promise<string> => {
  const rpc = createSolanaRpc(rpcUrl)
  const { value: recent } = await rpc.getLatestBlockhash().send()
  const tables = data.addressLookupTableAddresses.map((table) => address(table))
  const listed = tables.length === 0 ? {} : await fetchAddressesForLookupTables(tables, rpc)
  const instructions = data.instructions.map(({ data: hex, keys, programId }) => ({
    programAddress: address(programId),
    accounts: keys.map(({ isSigner, isWritable, pubkey }) => ({
      address: address(pubkey),
      role: isSigner
        ? isWritable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER
        : isWritable
        ? AccountRole.WRITABLE
        : AccountRole.READONLY
    })),
    data: Uint8Array.from(Buffer.from(hex, "hex"))
  }))
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(signer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(recent, paid),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
    (whole) => compressTransactionMessageUsingAddressLookupTables(whole, listed)
  )
  const signed = await signTransactionMessageWithSigners(message)
  return await rpc.sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: "base64" }).send()
}
