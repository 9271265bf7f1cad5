/**
 * A stage for Solana: the local chain with the depository program behind three endpoints, each of which can fail or lie, a hub
 * with its gate, and an oracle from environment variables alone. Slots come for transactions only, until `finalize`.
 */
import type { Address, AddressesByLookupTableAddress, Instruction } from "@solana/kit"
import {
  address, appendTransactionMessageInstructions, blockhash, compileTransaction, compressTransactionMessageUsingAddressLookupTables, createNoopSigner,
  createTransactionMessage, getTransactionEncoder, pipe, setTransactionMessageFeePayer, setTransactionMessageLifetimeUsingBlockhash, signatureBytes
} from "@solana/kit"
import { getAddMemoInstruction } from "@solana-program/memo"
import { getTransferSolInstruction } from "@solana-program/system"
import { getTransferCheckedInstruction } from "@solana-program/token"
import { Effect, Result, Schema } from "effect"
import { encodeFunctionData } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { abi as hubAbi } from "../../../adapters/ethereum/contracts/abi/Hub.ts"
import { abi as gateAbi } from "../../../adapters/ethereum/contracts/abi/OracleGate.ts"
import { viemHex } from "../../../adapters/ethereum/ViemHex.ts"
import { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { hexToBytes } from "../../../src/domain/chain/Hex.ts"
import { Order } from "../../../src/domain/order/Order.ts"
import { orderId } from "../../../src/domain/order/OrderId.ts"
import { alias } from "../../../src/domain/settlement/Alias.ts"
import { hubTokenId } from "../../../src/domain/settlement/HubTokenId.ts"
import { addressCodec } from "../../../src/domain/chain/Address.ts"
import { hubAddressOf } from "../../localnet/Addresses.ts"
import { Anvil } from "../../localnet/chains/Anvil.ts"
import { anyFree } from "../../localnet/chains/Port.ts"
import type { Fault } from "../../localnet/chains/Solana.ts"
import { Solana } from "../../localnet/chains/Solana.ts"
import { localTransaction } from "../../localnet/chains/solana/Faucet.ts"
import type { LocalKey } from "../../localnet/chains/solana/LocalKey.ts"
import { keyOfName } from "../../localnet/chains/solana/LocalKey.ts"
import { serve } from "../../localnet/chains/solana/rpc/Server.ts"
import type { Submitted } from "../../localnet/chains/solana/Submitted.ts"
import { readTransaction } from "../../localnet/chains/solana/Submitted.ts"
import { deployHub } from "../../localnet/Deployment.ts"
import { generate } from "../../localnet/Keys.ts"
import { partiesOf } from "../../localnet/Network.ts"
import { chainIdOf } from "../../localnet/Slug.ts"
import * as Depository from "../../localnet/solana/DepositoryProgram.ts"
import { genesis } from "../../localnet/solana/Genesis.ts"
import type { Mint } from "../../localnet/solana/Mints.ts"
import { post, reader, sendCall } from "../../transfer/testing/Client.ts"
import { startInstance } from "./OracleInstance.ts"

export const SOL = "11111111111111111111111111111111"

const solanaRef = { slug: ChainSlug.make("solana-local"), family: "solana-vm", network: "mainnet" } as const
const HexText = Schema.TemplateLiteral(["0x", Schema.String])
const Execution = Schema.Struct({
  idempotencyKey: HexText,
  actions: Schema.Array(HexText),
  signatures: Schema.Array(Schema.Struct({ signature: HexText }))
})
const Members = Schema.Record(Schema.String, Schema.Json)
const DepositResult = Schema.Struct({
  onchainId: Schema.String, depository: Schema.String, depositId: Schema.String, depositor: Schema.String, currency: Schema.String, amount: Schema.String
})
const Answer = Schema.Struct({
  message: Schema.optionalKey(Schema.Union([Schema.String, Schema.Struct({ result: Members })])),
  messages: Schema.optionalKey(Schema.Array(Schema.Struct({ result: DepositResult, extraData: Schema.Struct({ timestamp: Schema.Int }) }))),
  execution: Schema.optionalKey(Execution),
  reason: Schema.optionalKey(Schema.String),
  retryable: Schema.optionalKey(Schema.Boolean),
  confirmations: Schema.optionalKey(Schema.Int),
  needed: Schema.optionalKey(Schema.Int)
})

/** What was answered, and with which status of HTTP. */
export type Answered = typeof Answer.Type & { readonly http: number }

/** What a node answers, with some of its members changed. */
export const changed = (of: unknown, changes: object): object => typeof of === "object" && of !== null ? { ...of, ...changes } : changes

/** The signer of an instruction whose transaction is signed as a whole. */
export const signer = (key: LocalKey) => createNoopSigner(key.address)

/** Compiled against lookup tables and signed by their one payer. */
const throughTables = (chain: Solana["chain"], key: LocalKey, instructions: ReadonlyArray<Instruction>, tables: AddressesByLookupTableAddress): Submitted => {
  const { hash, height } = chain.ledger.last
  const compiled = pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(key.address, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash(hash), lastValidBlockHeight: BigInt(height + 150) }, message),
    (message) => appendTransactionMessageInstructions([...instructions], message),
    (message) => compressTransactionMessageUsingAddressLookupTables(message, tables),
    compileTransaction
  )
  const signatures = { ...compiled.signatures, [key.address]: signatureBytes(key.sign(new Uint8Array(compiled.messageBytes))) }
  return readTransaction(new Uint8Array(getTransactionEncoder().encode({ ...compiled, signatures })))
}

const made = Effect.gen(function*() {
  const [user, other, solver, allocator] = ["user", "other", "solver", "allocator"].map((name) => keyOfName(`causeway.test.${name}`))
  if (user === undefined || other === undefined || solver === undefined || allocator === undefined) return yield* Effect.die(new Error("no keys"))
  const keys = yield* generate
  const parties = partiesOf(keys)
  const [solana, hub] = yield* Effect.all([
    Solana.start({ genesis: genesis({ accounts: [user.address, other.address], solver: solver.address, allocator: allocator.address }) }),
    Anvil.start({ chainId: chainIdOf.hub, accounts: 0 })
  ], { concurrency: 2 })
  yield* deployHub(hub, parties)
  const { chain } = solana
  const faults: Array<Fault | undefined> = [undefined, undefined, undefined]
  const urls = yield* Effect.forEach([0, 1, 2], (at) =>
    Effect.gen(function*() {
      const port = yield* anyFree
      yield* serve(chain, port, () => faults[at])
      return `http://127.0.0.1:${port}`
    }))
  const environment = {
    ENVIRONMENT: "local",
    CHAINS: "alpha,solana-local",
    ALPHA_RPC_URL: "http://127.0.0.1:9",
    SOLANA_RPC_URL: urls.join(","),
    SOLANA_GENESIS_HASH: chain.genesisHash,
    HUB_RPC_URL: hub.url,
    HUB_ALLOCATOR: parties.allocator,
    ECDSA_PRIVATE_KEY: keys.oracle
  }
  const oracle = yield* startInstance(environment)

  /** What the endpoints do wrong from now on, first to last; those that are not named tell the truth. */
  const misbehave = (...wrong: ReadonlyArray<Fault | undefined>) =>
    Effect.sync(() => faults.forEach((_, at) => { faults[at] = wrong[at] }))

  const submitted = (transaction: Submitted): string => {
    const outcome = chain.submit(transaction)
    if (outcome._tag === "Dropped") throw new Error(`the transaction was dropped: ${JSON.stringify(outcome.error)} ${JSON.stringify(outcome.executed?.meta.logMessages)}`)
    return outcome.record.signature
  }
  /** The id of the transaction, in a slot that is not final yet; a failed one has an id as well. */
  const send = (payer: LocalKey, ...instructions: ReadonlyArray<Instruction>): string => submitted(localTransaction(chain, [payer], instructions))
  const sendThrough = (payer: LocalKey, tables: AddressesByLookupTableAddress, ...instructions: ReadonlyArray<Instruction>): string =>
    submitted(throughTables(chain, payer, instructions, tables))
  /** The same, final. */
  const done = Effect.fnUntraced(function*(payer: LocalKey, ...instructions: ReadonlyArray<Instruction>) {
    const id = send(payer, ...instructions)
    yield* solana.finalize
    return id
  })

  const memo = (text: string) => getAddMemoInstruction({ memo: text })
  const paySol = (from: LocalKey, to: Address, amount: bigint) => getTransferSolInstruction({ source: signer(from), destination: to, amount })
  const payToken = (from: LocalKey, to: Address, mint: Mint, amount: bigint) =>
    Effect.promise(async () => {
      const [source, destination] = await Promise.all([from.address, to].map((owner) => Depository.tokenAccount(owner, mint.address, mint.program)))
      return getTransferCheckedInstruction({ source: source ?? to, mint: mint.address, destination: destination ?? to, authority: signer(from), amount, decimals: mint.decimals }, { programAddress: mint.program })
    })

  const evmSolver = privateKeyToAccount(generatePrivateKey())
  const familyOf = (slug: string) => slug === "solana-local" ? "solana-vm" as const : slug === "alpha" ? "ethereum-vm" as const : undefined

  /** A signed order from SOL to what is paid on Solana; `changes` before it is signed. */
  const order = Effect.fnUntraced(function*(amount: bigint, payment: { readonly recipient: Address; readonly currency?: string; readonly amount: bigint }, changes: object = {}) {
    const deadline = chain.ledger.open.time + 3_600
    const encoded = {
      version: "v1",
      solverChainId: "alpha",
      solver: evmSolver.address.toLowerCase(),
      salt: generatePrivateKey(),
      inputs: [{
        payment: { chainId: "solana-local", currency: SOL, amount: `${amount}`, weight: "1" },
        refunds: [{ chainId: "solana-local", recipient: SOL, currency: SOL, minimumAmount: `${amount}`, deadline, extraData: "0x" }]
      }],
      output: {
        chainId: "solana-local",
        payments: [{ recipient: payment.recipient, currency: payment.currency ?? SOL, minimumAmount: `${payment.amount}`, expectedAmount: `${payment.amount}` }],
        calls: [], deadline, extraData: "0x", ...changes
      },
      fees: []
    }
    const decoded = Schema.decodeUnknownSync(Order)(encoded)
    const id = Result.getOrThrow(orderId(decoded, familyOf))
    const orderSignature = yield* Effect.promise(() => evmSolver.signMessage({ message: { raw: hexToBytes(id) } }))
    return { id, bytes: hexToBytes(id), order: encoded, orderSignature }
  })

  const ask = Effect.fnUntraced(function*(path: string, body: unknown, url = oracle.url) {
    const answer = yield* post(`${url}/attestations/${path}/v1`, body)
    return { ...Schema.decodeUnknownSync(Answer)(answer.json()), http: answer.status } satisfies Answered
  })
  const askDeposits = (transactionId: string, url?: string) => ask("depository-deposits", { chainId: "solana-local", transactionId }, url)

  const submitterKey = keys.accounts[0] ?? "0x"
  /** The gate's answer; it reverts for what it refuses. */
  const submit = (execution: Answered["execution"]) =>
    Effect.promise(async () => {
      if (execution === undefined) return "no execution" as const
      const { actions, idempotencyKey, signatures } = execution
      const data = encodeFunctionData({ abi: gateAbi, functionName: "execute", args: [{ idempotencyKey, actions: [...actions] }, signatures.map(({ signature }) => signature)] })
      const refused = await reader(hub).call({ account: privateKeyToAccount(submitterKey).address, to: hubAddressOf("OracleGate"), data }).then(() => false, () => true)
      if (refused) return "refused" as const
      const { status } = await Effect.runPromise(sendCall(hub, submitterKey, { to: hubAddressOf("OracleGate"), data }))
      return status
    })
  const held = (account: string, currency: string) =>
    Effect.promise(() => reader(hub).readContract({
      abi: hubAbi,
      address: hubAddressOf("Hub"),
      functionName: "balanceOf",
      args: [viemHex(account), Result.getOrThrow(hubTokenId(solanaRef, Result.getOrThrow(addressCodec("solana-vm").parseCurrency(currency))))]
    }))
  const aliasOf = (of: "solana-local" | "alpha", account: string) =>
    Result.getOrThrow(alias(of === "solana-local" ? solanaRef : { slug: ChainSlug.make("alpha"), family: "ethereum-vm", network: "mainnet" }, account))

  return {
    solana, chain, hub, urls, environment, oracle, keys, user, other, solver, allocator, evmSolver,
    misbehave, send, sendThrough, done, memo, paySol, payToken, order, ask, askDeposits, submit, held, aliasOf,
    startOracle: (changes: Readonly<Record<string, string>>) => startInstance({ ...environment, ...changes })
  }
})

export const startSolanaStage = made
export type SolanaStage = Effect.Success<typeof made>

/** A lookup table with these addresses, as its program would have made it. */
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

