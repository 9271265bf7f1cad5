/** A deposit of SOL by @solana/kit: the depository program's instruction, signed by the user. */
import {
  appendTransactionMessageInstruction,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners
} from "@solana/kit"
import { base58 } from "@scure/base"
import { Effect } from "effect"
import { hexToBytes } from "../../../../src/domain/encoding/Hex.ts"
import type { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import { depositNative } from "../../nodes/solana/DepositoryProgram.ts"

export const deposit = (
  { id: chain, rpcUrl }: { readonly id: string; readonly rpcUrl: string },
  key: string,
  amount: bigint,
  id: Hex32
) =>
  Effect.tryPromise({
    try: async () => {
      const rpc = createSolanaRpc(rpcUrl)
      const sender = await createKeyPairSignerFromBytes(base58.decode(key))
      const { value: recent } = await rpc.getLatestBlockhash().send()
      const transaction = await signTransactionMessageWithSigners(pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(sender, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(recent, message),
        (message) => appendTransactionMessageInstruction(depositNative({ sender, amount, id: hexToBytes(id) }), message)
      ))
      await rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: "base64" }).send()
      return { transactionId: String(getSignatureFromTransaction(transaction)), depositor: String(sender.address) }
    },
    catch: (cause) => new LocalnetError({ message: `the deposit on ${chain} failed: ${reasonOf(cause)}` })
  })
