/**
 * The Solana fixture: the local chain with the depository program behind three endpoints, each of which can fail or
 * lie, a hub with its gate, and an oracle configured by environment variables alone. Slots advance only for
 * transactions, until `finalize`.
 */
import type { Address, AddressesByLookupTableAddress, Instruction } from "@solana/kit"
import {
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createNoopSigner,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes
} from "@solana/kit"
import { getAddMemoInstruction } from "@solana-program/memo"
import { getTransferSolInstruction } from "@solana-program/system"
import { getTransferCheckedInstruction } from "@solana-program/token"
import { Effect } from "effect"
import { hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import type { Fault } from "../../localnet/nodes/solana/Solana.ts"
import { Solana } from "../../localnet/nodes/solana/Solana.ts"
import { localTransaction } from "../../localnet/nodes/solana/node/Faucet.ts"
import type { LocalKey } from "../../localnet/nodes/solana/node/LocalKey.ts"
import { keyOfName } from "../../localnet/nodes/solana/node/LocalKey.ts"
import { serve } from "../../localnet/nodes/solana/node/rpc/Server.ts"
import type { Submitted } from "../../localnet/nodes/solana/node/Submitted.ts"
import { readTransaction } from "../../localnet/nodes/solana/node/Submitted.ts"
import * as Depository from "../../localnet/nodes/solana/DepositoryProgram.ts"
import { genesis } from "../../localnet/nodes/solana/Genesis.ts"
import type { Mint } from "../../localnet/nodes/solana/Mints.ts"
import { startHubFixture } from "./HubFixture.ts"
import { faultyEndpoints } from "./FaultyEndpoints.ts"

export const SOL = "11111111111111111111111111111111"

/** The signer of an instruction in a transaction that is signed as a whole. */
export const signer = (key: LocalKey) => createNoopSigner(key.address)

/** Compiled with lookup tables and signed by its only payer. */
const throughTables = (
  chain: Solana["chain"],
  key: LocalKey,
  instructions: ReadonlyArray<Instruction>,
  tables: AddressesByLookupTableAddress
): Submitted => {
  const { hash, height } = chain.ledger.last
  const compiled = pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(key.address, message),
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash({
        blockhash: blockhash(hash),
        lastValidBlockHeight: BigInt(height + 150)
      }, message),
    (message) => appendTransactionMessageInstructions([...instructions], message),
    (message) => compressTransactionMessageUsingAddressLookupTables(message, tables),
    compileTransaction
  )
  const signatures = {
    ...compiled.signatures,
    [key.address]: signatureBytes(key.sign(new Uint8Array(compiled.messageBytes)))
  }
  return readTransaction(new Uint8Array(getTransactionEncoder().encode({ ...compiled, signatures })))
}

const made = Effect.gen(function*() {
  const [user, other, solver, allocator] = ["user", "other", "solver", "allocator"].map((name) =>
    keyOfName(`causeway.test.${name}`)
  )
  if (user === undefined || other === undefined || solver === undefined || allocator === undefined) {
    return yield* Effect.die(new Error("no keys"))
  }
  const solana = yield* Solana.start({
    genesis: genesis({ accounts: [user.address, other.address], solver: solver.address, allocator: allocator.address })
  })
  const { chain } = solana
  const { misbehave, urls } = yield* faultyEndpoints((port, fault: () => Fault | undefined) =>
    serve(chain, port, fault)
  )
  const fixture = yield* startHubFixture({
    slug: "solana-local",
    family: "solana-vm",
    native: SOL,
    depository: Depository.program,
    environment: { SOLANA_RPC_URL: urls.join(","), SOLANA_GENESIS_HASH: chain.genesisHash }
  })

  const submitted = (transaction: Submitted): string => {
    const outcome = chain.submit(transaction)
    if (outcome._tag === "Dropped") {
      throw new Error(
        `the transaction was dropped: ${JSON.stringify(outcome.error)} ${
          JSON.stringify(outcome.executed?.meta.logMessages)
        }`
      )
    }
    return outcome.record.signature
  }
  /** The id of the transaction, in a slot that is not final yet. A failed transaction has an id too. */
  const send = (payer: LocalKey, ...instructions: ReadonlyArray<Instruction>): string =>
    submitted(localTransaction(chain, [payer], instructions))
  const sendThrough = (
    payer: LocalKey,
    tables: AddressesByLookupTableAddress,
    ...instructions: ReadonlyArray<Instruction>
  ): string => submitted(throughTables(chain, payer, instructions, tables))
  /** The same, in a final slot. */
  const done = Effect.fnUntraced(function*(payer: LocalKey, ...instructions: ReadonlyArray<Instruction>) {
    const id = send(payer, ...instructions)
    yield* solana.finalize
    return id
  })

  const memo = (text: string) => getAddMemoInstruction({ memo: text })
  const paySol = (from: LocalKey, to: Address, amount: bigint) =>
    getTransferSolInstruction({ source: signer(from), destination: to, amount })
  const payToken = (from: LocalKey, to: Address, mint: Mint, amount: bigint) =>
    Effect.promise(async () => {
      const [source, destination] = await Promise.all(
        [from.address, to].map((owner) => Depository.tokenAccount(owner, mint.address, mint.program))
      )
      return getTransferCheckedInstruction({
        source: source ?? to,
        mint: mint.address,
        destination: destination ?? to,
        authority: signer(from),
        amount,
        decimals: mint.decimals
      }, { programAddress: mint.program })
    })

  /** A signed order from SOL to the given payment on Solana; `changes` are made before signing. */
  const order = (amount: bigint, payment: Parameters<typeof fixture.order>[1], changes?: object) =>
    Effect.map(
      fixture.order(amount, payment, chain.ledger.open.time + 3_600, changes),
      (signed) => ({ ...signed, bytes: hexToBytes(signed.id) })
    )

  return {
    ...fixture,
    solana,
    chain,
    user,
    other,
    solver,
    allocator,
    misbehave,
    send,
    sendThrough,
    done,
    memo,
    paySol,
    payToken,
    order
  }
})

export const startSolanaFixture = made
export type SolanaFixture = Effect.Success<typeof made>

/** A lookup table with these addresses, as its program would create it. */
export const lookupTable = (addresses: ReadonlyArray<Address>, encode: (key: Address) => Uint8Array) => {
  const header = new Uint8Array(56)
  const view = new DataView(header.buffer)
  view.setUint32(0, 1, true)
  view.setBigUint64(4, (1n << 64n) - 1n, true)
  return {
    owner: address("AddressLookupTab1e1111111111111111111111111"),
    lamports: 10_000_000n,
    executable: false,
    data: Uint8Array.from([...header, ...addresses.flatMap((each) => [...encode(each)])])
  }
}
