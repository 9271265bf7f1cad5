/** The contracts of the ports that every family has, on a real Solana chain. Slots end by command. */
import { describe, it } from "@effect/vitest"
import { address, isAddress } from "@solana/kit"
import type { Address as SolanaAddress, Instruction } from "@solana/kit"
import { AccountRole, createNoopSigner } from "@solana/kit"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { localTransaction } from "../../hosts/localnet/nodes/solana/node/Faucet.ts"
import { keyOfName } from "../../hosts/localnet/nodes/solana/node/LocalKey.ts"
import { holding } from "../../hosts/localnet/nodes/solana/node/TokenAccount.ts"
import * as Depository from "../../hosts/localnet/nodes/solana/DepositoryProgram.ts"
import { genesis } from "../../hosts/localnet/nodes/solana/Genesis.ts"
import { usdc } from "../../hosts/localnet/nodes/solana/Mints.ts"
import { Solana } from "../../hosts/localnet/nodes/solana/Solana.ts"
import { ChainFacts } from "../../ports/chain/ChainFacts.ts"
import type { Contract } from "../../property-tests/family/FamilyFixture.ts"
import { FamilyFixture } from "../../property-tests/family/FamilyFixture.ts"
import { depositWatcherContract, finalScanContract } from "../../property-tests/family/DepositWatcher.ts"
import { chainFactsContract, chainObserverContract } from "../../property-tests/family/Observing.ts"
import { gasContract, sentTransactionsContract, treasuryContract } from "../../property-tests/family/Payments.ts"
import {
  addressBalancesContract,
  sendWatcherContract,
  stepBuilderContract
} from "../../property-tests/family/Quoting.ts"
import { contractsOn } from "../../property-tests/family/Traits.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../src/domain/chain/TransactionId.ts"
import { hexToBytes } from "../../src/domain/encoding/Hex.ts"
import { addressCodec } from "../../src/domain/families/index.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import { solana as configured } from "../../src/domain/quote/testing/Chains.ts"
import { SolanaTransactionData } from "../../src/domain/families/solana/SolanaTransactionData.ts"
import { observedEndpoints } from "../quorum/Endpoints.ts"
import { makeFacts } from "../quorum/ReadingFacts.ts"
import { localEd25519 } from "../signing/LocalSigner.ts"
import { check } from "./Check.ts"
import { layer as layerObserver, SolanaQuorums } from "./observe/Observer.ts"
import { layer as layerPorts } from "./TransferPorts.ts"

const codec = addressCodec("solana-vm")
const named = (name: string) => keyOfName(`causeway.contracts.${name}`)
const [user, stranger, solver, allocator] = [named("user"), named("stranger"), named("solver"), named("allocator")]

const account = (text: string) => Result.getOrThrow(codec.parse(text))

const native = configured.native
const token: Currency = {
  ...native,
  address: Result.getOrThrow(codec.parseCurrency(usdc.address)),
  symbol: "USDC",
  name: "USDC",
  decimals: 6,
  isNative: false
}

const decodeTransaction = Schema.decodeUnknownSync(SolanaTransactionData)

type WireInstruction = SolanaTransactionData["instructions"][number]

const roleOf = ({ isSigner, isWritable }: WireInstruction["keys"][number]): AccountRole =>
  isSigner
    ? isWritable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER
    : isWritable
    ? AccountRole.WRITABLE
    : AccountRole.READONLY

/** As a wallet reads it. */
const instructionOf = ({ data, keys, programId }: WireInstruction): Instruction => ({
  programAddress: address(programId),
  accounts: keys.map((key) => ({ address: address(key.pubkey), role: roleOf(key) })),
  data: new Uint8Array(Buffer.from(data, "hex"))
})

const solanaAddress = (text: string): SolanaAddress => {
  if (!isAddress(text)) throw new Error(`${text} is no address`)
  return text
}

/** More than it takes for a slot to be final. */
const FINAL_AFTER = 3

const makeFixture = Effect.gen(function*() {
  const local = yield* Solana.start({
    // No slot ends by time.
    slotTime: 3_600_000,
    finalizedAfter: FINAL_AFTER,
    genesis: genesis({ accounts: [user.address], solver: solver.address, allocator: allocator.address })
  })
  const chain: Chain = {
    ...configured,
    genesisHash: local.chain.genesisHash,
    depository: account(Depository.program),
    currencies: [native, token]
  }
  /** Carried out in the open slot, which is no block yet. */
  const send = (instructions: ReadonlyArray<Instruction>) =>
    Effect.sync(() => {
      const outcome = local.chain.submit(localTransaction(local.chain, [user], instructions))
      if (outcome._tag === "Dropped") throw new Error(`dropped: ${JSON.stringify(outcome.error)}`)
      return Result.getOrThrow(parseTransactionId(chain.family, outcome.record.signature))
    })
  const at = (of: SolanaAddress) => local.chain.read(of, "confirmed")
  const balance = async (of: SolanaAddress, { isNative }: Currency) =>
    isNative
      ? at(of)?.lamports ?? 0n
      : holding(at(await Depository.tokenAccount(of, usdc.address, usdc.program)))?.amount ?? 0n
  const depositInstruction = (isNative: boolean, amount: bigint, id: Uint8Array) => {
    const deposit = { sender: createNoopSigner(user.address), amount, id }
    return isNative
      ? Promise.resolve(Depository.depositNative(deposit))
      : Depository.depositToken({ ...deposit, mint: usdc.address, tokenProgram: usdc.program })
  }
  return {
    chain,
    url: Redacted.make(local.url),
    fixture: FamilyFixture.of({
      chain,
      token,
      user: account(user.address),
      stranger: account(stranger.address),
      // No wallet: nobody can sign for what it would hold.
      refusing: account(usdc.address),
      balance: (of, currency) => Effect.promise(() => balance(solanaAddress(of), currency)),
      deposit: ({ isNative }, amount, order) =>
        Effect.flatMap(
          Effect.promise(() => depositInstruction(isNative, amount, hexToBytes(order))),
          (instruction) => send([instruction])
        ),
      carryOut: (step) => send(decodeTransaction(step.items[0]?.data).instructions.map(instructionOf)),
      mine: local.mine(1),
      finalise: local.mine(FINAL_AFTER),
      takeBack: Effect.sync(() => {
        const { last, open } = local.chain.ledger
        local.chain.rollback(open.slot - last.slot + 1)
      })
    })
  }
})

/** Another name of the loopback is another host. */
const alsoAt = (url: Redacted.Redacted) => Redacted.make(Redacted.value(url).replace("127.0.0.1", "localhost"))

/** `urlsOf`: how the chain is read; its quorum needs all of them. */
const layerBy = (urlsOf: (url: Redacted.Redacted) => ReadonlyArray<Redacted.Redacted>) =>
  Layer.unwrap(Effect.map(makeFixture, ({ chain, fixture, url }) => {
    const urls = urlsOf(url)
    const observed = Result.getOrThrow(observedEndpoints([url]))
    return Layer.mergeAll(
      Layer.succeed(FamilyFixture, fixture),
      layerPorts({ urls: new Map([[chain.id, urls]]), quorums: new Map([[chain.id, urls.length]]) }, {
        deposits: undefined
      }, {
        solver: localEd25519(Redacted.make(solver.seed)),
        jupiter: { url: undefined, apiKey: undefined }
      }),
      Layer.provide(layerObserver, Layer.succeed(SolanaQuorums, { of: new Map([[chain.id, observed]]) })),
      Layer.effect(ChainFacts, makeFacts(check, new Map([[chain.id, { ...observed, decides: "quorum" as const }]])))
    )
  }))

const layerAll = layerBy((url) => [url])

type Ports = Layer.Success<typeof layerAll>

const lacks = {
  sequences: "the chain counts no transactions of an account, payments expire",
  coins: "a payment takes from a balance",
  "reused-heights": "the slot of a block that was taken back is skipped"
}

const holds = (port: string, contracts: ReadonlyArray<Contract<Ports>>, ports = layerAll) =>
  describe(`${port} of a Solana chain`, () => {
    for (const { check: promise, name } of contractsOn(lacks, contracts)) {
      it.live(name, () => Effect.provide(promise, Layer.fresh(ports)))
    }
  })

holds("DepositWatcher", depositWatcherContract)
holds("DepositWatcher by two hosts", finalScanContract, layerBy((url) => [url, alsoAt(url)]))
holds("Treasury", treasuryContract)
holds("Gas", gasContract)
holds("SentTransactions", sentTransactionsContract)
holds("StepBuilder", stepBuilderContract)
holds("DirectPaymentWatcher", sendWatcherContract)
holds("AddressBalances", addressBalancesContract)
holds("ChainObserver", chainObserverContract)
holds("ChainFacts", chainFactsContract)
