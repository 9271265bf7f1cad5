/**
 * The account that pays for `requestAirdrop`, with ordinary transactions; and the local machinery's own transactions.
 */
import type { Address, Instruction } from "@solana/kit"
import {
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes
} from "@solana/kit"
import { getAddMemoInstruction } from "@solana-program/memo"
import { getTransferSolInstruction } from "@solana-program/system"
import { wallet } from "./Account.ts"
import type { Chain } from "./Chain.ts"
import type { LocalKey } from "./LocalKey.ts"
import { keyOfName } from "./LocalKey.ts"
import type { Submitted } from "./Submitted.ts"
import { readTransaction } from "./Submitted.ts"

const faucet = keyOfName("causeway.localnet.solana.faucet")

/** Half a billion SOL: more than any test needs. */
const FUNDS = 500_000_000_000_000_000n

/** What one of version 1 may use. Without limits it may use nothing. */
const LIMITS = { computeUnitLimit: 1_400_000, loadedAccountsDataSizeLimit: 64 * 1024 * 1024 }

/** A transaction signed by these keys, the first of which pays, with a blockhash that is valid now. */
export const localTransaction = (
  chain: Chain,
  keys: ReadonlyArray<LocalKey>,
  instructions: ReadonlyArray<Instruction>,
  version: 0 | 1 = 0
): Submitted => {
  const [payer] = keys
  if (payer === undefined) throw new Error("a transaction without a signer")
  const { hash, height } = chain.ledger.last
  const lifetime = { blockhash: blockhash(hash), lastValidBlockHeight: BigInt(height + 150) }
  const compiled = version === 1
    ? pipe(
      createTransactionMessage({ version: 1 }),
      (message) => setTransactionMessageFeePayer(payer.address, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => setTransactionMessageConfig(LIMITS, message),
      (message) => appendTransactionMessageInstructions([...instructions], message),
      compileTransaction
    )
    : pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(payer.address, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions([...instructions], message),
      compileTransaction
    )
  const signatures = { ...compiled.signatures }
  for (const key of keys) signatures[key.address] = signatureBytes(key.sign(new Uint8Array(compiled.messageBytes)))
  return readTransaction(new Uint8Array(getTransactionEncoder().encode({ ...compiled, signatures })))
}

export const fundFaucet = (chain: Chain): void => chain.setAccount(faucet.address, wallet(FUNDS))

let airdrops = 0

export const faucetTransaction = (chain: Chain, destination: Address, amount: bigint): Submitted => {
  // Two equal airdrops would be one transaction, which runs once.
  airdrops += 1
  return localTransaction(chain, [faucet], [
    getTransferSolInstruction({ source: createNoopSigner(faucet.address), destination, amount }),
    getAddMemoInstruction({ memo: `airdrop ${airdrops}` })
  ])
}
