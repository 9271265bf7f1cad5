/** The contract of the local Solana chain: all its methods, through the unmodified client. */
import { assert, describe, it } from "@effect/vitest"
import type { Address, Signature } from "@solana/kit"
import {
  address,
  AccountRole,
  decodeTransactionFromRpcResponse,
  getBase64Decoder,
  isSolanaError,
  lamports,
  sendAndConfirmTransactionFactory,
  signature,
  walkInstructions
} from "@solana/kit"
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from "@solana-program/compute-budget"
import { getAddMemoInstruction } from "@solana-program/memo"
import { getTransferSolInstruction } from "@solana-program/system"
import { getTransferCheckedInstruction } from "@solana-program/token"
import { Effect, Exit, Scope } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Depository from "./DepositoryProgram.ts"
import { feeToken, usdc } from "./Mints.ts"
import type { Fixture } from "./testing/Fixture.ts"
import { otherKey, parties, solverKey, startFixture, userKey } from "./testing/Fixture.ts"
import { temporaryFolder } from "../../testing/TemporaryFolder.ts"
import { Solana } from "./Solana.ts"
import { wallet } from "./node/Account.ts"

const stranger = address("CauseWay11111111111111111111111111111111111")
const pay = ({ user }: Fixture, amount: bigint, destination: Address = stranger) =>
  getTransferSolInstruction({ source: user, destination, amount })

/** The code of the JSON-RPC error that a call ends with, as the client reads it, and its data. */
const refused = async (
  call: Promise<unknown>
): Promise<{ readonly code: number; readonly context: Record<string, unknown>; readonly cause: unknown }> => {
  const error = await call.then(() => assert.fail("it was answered"), (cause: unknown) => cause)
  assert.isTrue(isSolanaError(error), String(error))
  const { context } = error as { context: Record<string, unknown> & { __code: number } }
  return { code: context.__code, context, cause: error instanceof Error ? error.cause : undefined }
}

/** A raw call, which no typed client allows. */
const raw = async (
  url: string,
  method: string,
  params: unknown
): Promise<{ error?: { code: number; message: string }; result?: unknown }> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params })
  })
  return await response.json() as { error?: { code: number; message: string }; result?: unknown }
}

const withFixture = (
  name: string,
  use: (on: Fixture) => Promise<void>,
  options: Parameters<typeof startFixture>[0] = {}
) => it.live(name, () => Effect.scoped(Effect.flatMap(startFixture(options), (on) => Effect.promise(() => use(on)))))

const now = (effect: Effect.Effect<void>) => Effect.runPromise(effect)

describe("Solana", () => {
  withFixture("answers what a client asks first", async ({ client: { rpc }, solana }) => {
    assert.strictEqual(await rpc.getHealth().send(), "ok")
    assert.strictEqual(await rpc.getGenesisHash().send(), solana.chain.genesisHash)
    assert.isString((await rpc.getVersion().send())["solana-core"])
    const slot = await rpc.getSlot({ commitment: "processed" }).send()
    assert.strictEqual(await rpc.getSlot({ commitment: "confirmed" }).send(), slot - 1n)
    assert.strictEqual(await rpc.getSlot({ commitment: "finalized" }).send(), slot - 3n)
    assert.strictEqual(await rpc.getBlockHeight({ commitment: "processed" }).send(), slot)
    assert.strictEqual((await rpc.getEpochInfo({ commitment: "finalized" }).send()).absoluteSlot, slot - 3n)
    assert.strictEqual(await rpc.getMinimumBalanceForRentExemption(165n).send(), 2_039_280n)
    assert.strictEqual(await rpc.getMinimumBalanceForRentExemption(0n).send(), 890_880n)
    assert.isAbove((await rpc.getRecentPrioritizationFees([]).send()).length, 0)
    const { value: { blockhash, lastValidBlockHeight } } = await rpc.getLatestBlockhash({ commitment: "finalized" })
      .send()
    assert.isTrue((await rpc.isBlockhashValid(blockhash, { commitment: "finalized" }).send()).value)
    assert.strictEqual(lastValidBlockHeight, slot - 3n + 150n)
  })

  withFixture("executes what the client sends and confirms, and tells it as a node does", async (on) => {
    const { client: { build, outcome, rpc, signature, subscriptions }, solana, user } = on
    const before = (await rpc.getBalance(user.address, { commitment: "processed" }).send()).value
    const signed = await build(user, [
      getSetComputeUnitPriceInstruction({ microLamports: 1_000_000n }),
      getSetComputeUnitLimitInstruction({ units: 50_000 }),
      pay(on, 5_000_000n),
      getAddMemoInstruction({ memo: "an order" })
    ])
    const { value: fee } = await rpc.getFeeForMessage(getBase64Decoder().decode(signed.messageBytes) as never, {
      commitment: "processed"
    }).send()
    assert.strictEqual(fee, 55_000n)
    const sent = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions: subscriptions })(signed, {
      commitment: "finalized"
    })
    const mining = setInterval(() => solana.chain.advance(), 20)
    await sent.finally(() => clearInterval(mining))
    const found = await outcome(signature(signed))
    const { blockTime, meta, slot, transaction } = found
    assert.strictEqual("version" in found ? found.version : undefined, 0)
    assert.deepStrictEqual(transaction, [
      getBase64Decoder().decode((await import("@solana/kit")).getTransactionEncoder().encode(signed)),
      "base64"
    ])
    assert.strictEqual(meta.err, null)
    assert.strictEqual(meta.fee, fee)
    assert.strictEqual(meta.preBalances[0], before)
    assert.strictEqual(meta.postBalances[0], before - 55_000n - 5_000_000n)
    assert.strictEqual((await rpc.getBalance(stranger).send()).value, 5_000_000n)
    assert.include((meta.logMessages ?? []).join("\n"), "an order")
    assert.isAbove(Number(meta.computeUnitsConsumed), 0)
    assert.strictEqual(await rpc.getBlockTime(slot).send(), blockTime)
    const block = await rpc.getBlock(slot, { encoding: "base64", maxSupportedTransactionVersion: 0, rewards: false })
      .send()
    assert.deepStrictEqual(block?.transactions.map(({ transaction: [wire] }) => wire), [transaction[0]])
    const signatures = await rpc.getBlock(slot, { transactionDetails: "signatures", maxSupportedTransactionVersion: 0 })
      .send()
    assert.deepStrictEqual(signatures?.signatures, [signature(signed)])
    const [status] = (await rpc.getSignatureStatuses([signature(signed)]).send()).value
    assert.strictEqual(status?.confirmationStatus, "finalized")
    assert.strictEqual(status?.slot, slot)
    const [history] = await rpc.getSignaturesForAddress(stranger).send()
    assert.strictEqual(history?.memo, "[8] an order")
    assert.strictEqual(history?.blockTime, blockTime)
  })

  withFixture("lists an address's transactions newest first, in pages", async (on) => {
    const { client: { rpc, send }, solana, user } = on
    const sent: Array<Signature> = []
    for (let nth = 1n; nth <= 5n; nth += 1n) sent.unshift(await send(user, [pay(on, 1_000_000n * nth)]))
    await now(solana.finalize)
    const list = async (options: Parameters<typeof rpc.getSignaturesForAddress>[1]) =>
      (await rpc.getSignaturesForAddress(stranger, { commitment: "finalized", ...options }).send()).map((each) =>
        each.signature
      )
    assert.deepStrictEqual(await list({}), sent)
    assert.deepStrictEqual(await list({ limit: 2 }), sent.slice(0, 2))
    assert.deepStrictEqual(await list({ before: sent[1]!, limit: 2 }), sent.slice(2, 4))
    assert.deepStrictEqual(await list({ until: sent[3]! }), sent.slice(0, 3))
    assert.deepStrictEqual(await list({ before: sent[0]!, until: sent[4]! }), sent.slice(1, 4))
    const newer = await send(user, [pay(on, 7_000_000n)])
    assert.deepStrictEqual(await list({ commitment: "confirmed", limit: 1 }), [newer])
    assert.deepStrictEqual(await list({ limit: 1 }), sent.slice(0, 1))
    assert.strictEqual(
      (await raw(solana.url, "getSignaturesForAddress", [stranger, { limit: 1001 }])).error?.code,
      -32602
    )
  })

  withFixture("tells token balances, of both programs and before and after", async (on) => {
    const { client: { outcome, rpc, send }, solana, user } = on
    for (const mint of [usdc, feeToken]) {
      const [source, destination] = await Promise.all(
        [userKey.address, otherKey.address].map((owner) => Depository.tokenAccount(owner, mint.address, mint.program))
      )
      const sent = await send(user, [
        getTransferCheckedInstruction({
          source: source!,
          mint: mint.address,
          destination: destination!,
          authority: user,
          amount: 1_000_000n,
          decimals: 6
        }, { programAddress: mint.program })
      ])
      const { meta } = await outcome(sent)
      const arrived = mint.fee === undefined ? 1_000_000n : 990_000n
      const of = (balances: typeof meta.preTokenBalances, owner: Address) =>
        BigInt(balances?.find((each) => each.owner === owner)?.uiTokenAmount.amount ?? -1)
      assert.strictEqual(of(meta.preTokenBalances, user.address) - of(meta.postTokenBalances, user.address), 1_000_000n)
      assert.strictEqual(
        of(meta.postTokenBalances, otherKey.address) - of(meta.preTokenBalances, otherKey.address),
        arrived
      )
      assert.strictEqual(meta.postTokenBalances?.[0]?.programId, mint.program)
      assert.strictEqual(meta.postTokenBalances?.[0]?.mint, mint.address)
      await now(solana.finalize)
      const { value } = await rpc.getTokenAccountBalance(destination!).send()
      assert.deepStrictEqual<unknown>(value, {
        amount: `${1_000_000_000_000n + arrived}`,
        decimals: 6,
        uiAmount: Number(1_000_000_000_000n + arrived) / 1e6,
        uiAmountString: mint.fee === undefined ? "1000001" : "1000000.99"
      })
      assert.strictEqual((await rpc.getTokenSupply(mint.address).send()).value.amount, "102000000000000")
      const owned = (filter: { mint: Address } | { programId: Address }) =>
        rpc.getTokenAccountsByOwner(otherKey.address, filter, { encoding: "base64" }).send().then(({ value: found }) =>
          found.map(({ pubkey }) => pubkey)
        )
      assert.deepStrictEqual(await owned({ mint: mint.address }), [destination])
      assert.deepStrictEqual(await owned({ programId: mint.program }), [destination])
    }
    const { code } = await refused(rpc.getTokenAccountBalance(stranger).send())
    assert.strictEqual(code, -32602)
  })

  withFixture("gives inner instructions and addresses of lookup tables, as the client walks them", async (on) => {
    const { client: { outcome, send }, solana, user } = on
    const table = address("TabLe11111111111111111111111111111111111111")
    const data = Buffer.alloc(56 + 64)
    data.writeUInt32LE(1, 0)
    data.fill(0xff, 4, 12)
    const { addressBytes } = await import("./Mints.ts")
    data.set(addressBytes(Depository.vault), 56)
    data.set(addressBytes(Depository.depository), 88)
    solana.chain.setAccount(table, {
      lamports: 10_000_000n,
      data: new Uint8Array(data),
      owner: address("AddressLookupTab1e1111111111111111111111111"),
      executable: false
    })
    await now(solana.mine())
    const deposit = Depository.depositNative({ sender: user, amount: 77n, id: new Uint8Array(32) })
    const sent = await send(user, [deposit], { tables: { [table]: [Depository.vault, Depository.depository] } })
    const found = await outcome(sent)
    assert.deepStrictEqual(found.meta.loadedAddresses, {
      writable: [Depository.vault],
      readonly: [Depository.depository]
    })
    const walked: Array<{ readonly program: string; readonly accounts: ReadonlyArray<string> }> = []
    for (
      const { accounts, programAddress } of walkInstructions({
        ...decodeTransactionFromRpcResponse(found as never),
        meta: found.meta
      })
    ) {
      walked.push({ program: programAddress, accounts: (accounts ?? []).map((account) => account.address) })
    }
    assert.strictEqual(walked.length, 2)
    assert.strictEqual(walked[0]?.program, Depository.program)
    assert.deepStrictEqual(walked[0]?.accounts, deposit.accounts?.map((account) => account.address))
    assert.deepStrictEqual(walked[1], {
      program: "11111111111111111111111111111111",
      accounts: [user.address, Depository.vault]
    })
    assert.strictEqual(found.meta.innerInstructions?.[0]?.instructions[0]?.stackHeight, 2)
  })

  withFixture("shows each commitment its own state, and no block before its time", async (on) => {
    const { client: { rpc, send }, solana, user } = on
    const sent = await send(user, [pay(on, 3_000_000n)])
    const balances = () =>
      Promise.all(
        (["processed", "confirmed", "finalized"] as const).map(async (commitment) =>
          (await rpc.getBalance(stranger, { commitment }).send()).value
        )
      )
    const seen = async () =>
      (await rpc.getTransaction(sent, {
        commitment: "finalized",
        encoding: "base64",
        maxSupportedTransactionVersion: 0
      }).send()) !== null
    const status = async () => (await rpc.getSignatureStatuses([sent]).send()).value[0]?.confirmationStatus
    assert.deepStrictEqual(await balances(), [3_000_000n, 3_000_000n, 0n])
    assert.strictEqual(await status(), "confirmed")
    assert.isFalse(await seen())
    assert.strictEqual(
      (await rpc.getAccountInfo(stranger, { commitment: "finalized", encoding: "base64" }).send()).value,
      null
    )
    await now(solana.mine(2))
    assert.deepStrictEqual(await balances(), [3_000_000n, 3_000_000n, 3_000_000n])
    assert.isTrue(await seen())
    assert.strictEqual(await status(), "finalized")
    const account = (await rpc.getMultipleAccounts([stranger, solverKey.address], { encoding: "base64" }).send()).value
    assert.deepStrictEqual(account[0]?.lamports, 3_000_000n)
    const open = await rpc.getSlot({ commitment: "processed" }).send()
    const reading = { commitment: "finalized", encoding: "base64", maxSupportedTransactionVersion: 0 } as const
    assert.strictEqual((await refused(rpc.getBlock(open, reading).send())).code, -32004)
    assert.strictEqual((await refused(rpc.getBlock(open - 1n, reading).send())).code, -32004)
    await now(solana.skip(3))
    await now(solana.mine(8))
    assert.strictEqual((await refused(rpc.getBlock(open + 2n, reading).send())).code, -32007)
    assert.strictEqual((await refused(rpc.getBlockTime(open + 2n).send())).code, -32007)
    const after = await rpc.getBlock(open + 4n, { ...reading, transactionDetails: "none", rewards: false }).send()
    assert.strictEqual(after?.parentSlot, open)
    assert.deepStrictEqual(await rpc.getBlocks(open, open + 5n).send(), [open, open + 4n, open + 5n])
  })

  withFixture("refuses with a node's codes", async (on) => {
    const { client: { build, rpc, send, sendSigned }, solana, user } = on
    const broke = await refused(send(user, [pay(on, 10n ** 15n)]))
    assert.strictEqual((broke.cause as { context: { __code: number } }).context.__code, 4_615_026)
    assert.include((broke.context["logs"] as Array<string>).join("\n"), "insufficient lamports")
    const signed = await build(user, [pay(on, 1_000_000n)])
    await sendSigned(signed)
    assert.include(String((await refused(sendSigned(signed))).cause), "already been processed")
    const forged = {
      ...signed,
      signatures: { ...signed.signatures, [user.address]: new Uint8Array(64).fill(1) }
    } as typeof signed
    assert.strictEqual((await refused(sendSigned(forged))).code, -32003)
    const unsigned = {
      ...signed,
      signatures: { ...signed.signatures, [user.address]: null }
    } as unknown as typeof signed
    assert.strictEqual((await refused(sendSigned(unsigned))).code, -32003)
    assert.strictEqual((await refused(rpc.getBalance(user.address, { minContextSlot: 10_000n }).send())).code, -32016)
    const sent = await send(user, [pay(on, 1_000_001n)])
    assert.strictEqual(
      (await raw(solana.url, "getTransaction", [sent, { encoding: "base64", commitment: "confirmed" }])).error?.code,
      -32015
    )
    for (
      const [method, params] of [["getBalance", ["nonsense"]], ["getTransaction", ["nonsense"]], ["sendTransaction", [
        "AAAA",
        { encoding: "base64" }
      ]], ["getSlot", [{ commitment: "soon" }]]] as const
    ) {
      assert.strictEqual((await raw(solana.url, method, params)).error?.code, -32602, method)
    }
    assert.strictEqual((await raw(solana.url, "getNonsense", [])).error?.code, -32601)
    assert.strictEqual((await raw(solana.url, "constructor", [])).error?.code, -32601)
  })

  withFixture(
    "executes transactions of version 1, up to 4,096 bytes, and shows them to those who know that version",
    async (on) => {
      const { client: { build, outcome, rpc, sendSigned, signature }, solana, user } = on
      const memo = getAddMemoInstruction({ memo: "a".repeat(3_000) })
      const signed = await build(user, [pay(on, 1_000_000n), memo], { version: 1 })
      const { value: fee } = await rpc.getFeeForMessage(getBase64Decoder().decode(signed.messageBytes) as never, {
        commitment: "processed"
      }).send()
      const before = (await rpc.getBalance(user.address, { commitment: "processed" }).send()).value
      const sent = await sendSigned(signed)
      solana.chain.advance()
      solana.chain.advance()
      const found = await outcome(sent)
      assert.deepStrictEqual([sent, found.meta.err, found.meta.fee, fee], [signature(signed), null, 5_007n, 5_007n])
      assert.strictEqual("version" in found ? found.version : undefined, 1)
      assert.strictEqual(
        before - (await rpc.getBalance(user.address, { commitment: "processed" }).send()).value,
        1_005_007n
      )
      const known = { encoding: "base64", commitment: "confirmed", maxSupportedTransactionVersion: 0 } as const
      assert.strictEqual((await refused(rpc.getTransaction(sent, known).send())).code, -32015)
      const whole = await raw(solana.url, "getBlock", [Number(found.slot), known])
      assert.strictEqual(whole.error?.code, -32015)
      const tooLarge = build(user, [getAddMemoInstruction({ memo: "a".repeat(4_096) })], { version: 1 })
      assert.isTrue(isSolanaError(await tooLarge.then(() => assert.fail("it fits"), (cause: unknown) => cause)))
    }
  )

  withFixture("charges for a transaction that fails on the chain, and says why", async (on) => {
    const { client: { outcome, rpc, send }, user } = on
    const before = (await rpc.getBalance(user.address, { commitment: "processed" }).send()).value
    const { meta } = await outcome(await send(user, [pay(on, 10n ** 15n)], { skipPreflight: true, version: "legacy" }))
    assert.deepStrictEqual<unknown>(meta.err, { InstructionError: [0n, { Custom: 1n }] })
    assert.deepStrictEqual<unknown>(meta.status, { Err: { InstructionError: [0n, { Custom: 1n }] } })
    assert.strictEqual(before - (await rpc.getBalance(user.address, { commitment: "processed" }).send()).value, 5_000n)
  })

  withFixture("simulates without effect", async (on) => {
    const { client: { build, rpc }, user } = on
    const wire = async (amount: bigint) =>
      (await import("@solana/kit")).getBase64EncodedWireTransaction(await build(user, [pay(on, amount)]))
    const simulate = async (amount: bigint) =>
      (await rpc.simulateTransaction(await wire(amount), { encoding: "base64", replaceRecentBlockhash: true }).send())
        .value
    assert.strictEqual((await simulate(5_000_000n)).err, null)
    assert.deepStrictEqual<unknown>((await simulate(10n ** 15n)).err, { InstructionError: [0n, { Custom: 1n }] })
    assert.strictEqual((await rpc.getBalance(stranger, { commitment: "processed" }).send()).value, 0n)
  })

  withFixture("takes a blockhash for 150 blocks and not for one more", async (on) => {
    const { client: { build, outcome, rpc, sendSigned }, solana, user } = on
    const [inTime, late] = [await build(user, [pay(on, 1_000_000n)]), await build(user, [pay(on, 2_000_000n)])]
    const hash = inTime.lifetimeConstraint.blockhash
    await now(solana.mine(149))
    assert.strictEqual(
      inTime.lifetimeConstraint.lastValidBlockHeight,
      await rpc.getBlockHeight({ commitment: "processed" }).send()
    )
    assert.strictEqual((await outcome(await sendSigned(inTime))).meta.err, null)
    assert.include(String((await refused(sendSigned(late))).cause), "Blockhash not found")
    assert.isFalse((await rpc.isBlockhashValid(hash, { commitment: "processed" }).send()).value)
    // Without its simulation it is silently dropped, as by a leader.
    const dropped = await sendSigned(late, true)
    assert.strictEqual((await rpc.getSignatureStatuses([dropped]).send()).value[0], null)
  })

  withFixture("takes transactions back with the slots they are in; they can be sent again", async (on) => {
    const { client: { build, outcome, rpc, sendSigned }, solana, user } = on
    await now(solana.finalize)
    const signed = await build(user, [pay(on, 4_000_000n)])
    const before = await rpc.getSlot({ commitment: "processed" }).send()
    const sent = await sendSigned(signed)
    const block = (await outcome(sent)).slot
    await now(solana.rollback(2))
    assert.strictEqual((await rpc.getSignatureStatuses([sent]).send()).value[0], null)
    assert.strictEqual((await rpc.getBalance(stranger, { commitment: "processed" }).send()).value, 0n)
    assert.isAtLeast(Number(await rpc.getSlot({ commitment: "processed" }).send()), Number(before))
    await now(solana.finalize)
    assert.strictEqual(
      (await refused(rpc.getBlock(block, { encoding: "base64", maxSupportedTransactionVersion: 0 }).send())).code,
      -32007
    )
    assert.strictEqual(await sendSigned(signed), sent)
    assert.isAbove(Number((await outcome(sent)).slot), Number(block))
  })

  withFixture(
    "gives money away, and tells slots and signatures to whoever subscribes",
    async ({ client: { rpc, subscriptions }, solana }) => {
      const ending = new AbortController()
      const slots = await subscriptions.slotNotifications().subscribe({ abortSignal: ending.signal })
      const first = await rpc.requestAirdrop(stranger, lamports(1_000_000_000n)).send()
      assert.notStrictEqual(await rpc.requestAirdrop(stranger, lamports(1_000_000_000n)).send(), first)
      const told = await subscriptions.signatureNotifications(first, { commitment: "finalized" }).subscribe({
        abortSignal: ending.signal
      })
      // The client drops notifications that come before a listener exists.
      const mining = setInterval(() => solana.chain.advance(), 20)
      for await (const { value } of told) {
        assert.deepStrictEqual(value, { err: null })
        break
      }
      for await (const { parent, slot } of slots) {
        assert.strictEqual(parent, slot - 1n)
        break
      }
      clearInterval(mining)
      assert.strictEqual((await rpc.getBalance(stranger).send()).value, 2_000_000_000n)
      ending.abort()
    }
  )

  withFixture("has a clock that can be set", async (on) => {
    const { client: { outcome, rpc, send }, solana, user } = on
    await now(solana.setTime(4_000_000_000))
    const { blockTime } = await outcome(await send(user, [pay(on, 1_000_000n)]))
    assert.isAtLeast(Number(blockTime), 4_000_000_000)
    assert.isBelow(Number(blockTime), 4_000_000_060)
    // Like a chain's clock, it never runs backwards.
    await now(solana.setTime(1_000))
    assert.isAtLeast(Number(await rpc.getBlockTime(BigInt(solana.chain.ledger.last.slot)).send()), Number(blockTime))
  })

  withFixture(
    "does wrong what it is told to do wrong, and is whole again afterwards",
    async ({ client: { rpc }, solana }) => {
      const slot = () => rpc.getSlot().send()
      await now(solana.setFault({ kind: "status", status: 503, methods: ["getSlot"] }))
      assert.include(String(await slot().catch((error: unknown) => error)), "503")
      assert.strictEqual(await rpc.getHealth().send(), "ok")
      await now(
        solana.setFault({ kind: "error", code: -32005, message: "Node is behind", data: { numSlotsBehind: 9 } })
      )
      assert.strictEqual((await refused(slot())).code, -32005)
      await now(solana.setFault({ kind: "hang" }))
      const aborted = await rpc.getSlot().send({ abortSignal: AbortSignal.timeout(100) }).then(
        () => "answered",
        () => "aborted"
      )
      assert.strictEqual(aborted, "aborted")
      await now(solana.setFault({
        kind: "lie",
        tell: (result) => Number(result) + 1000
      }))
      const lie = await slot()
      await now(solana.setFault({ kind: "delay", milliseconds: 50 }))
      const late = await slot()
      await now(solana.setFault({ kind: "delay", milliseconds: 2_000 }))
      assert.strictEqual(
        await rpc.getSlot().send({ abortSignal: AbortSignal.timeout(100) }).then(() => "answered", () => "aborted"),
        "aborted"
      )
      await now(solana.setFault(undefined))
      const honest = await slot()
      assert.strictEqual(late, honest)
      assert.strictEqual(lie, honest + 1000n)
    }
  )

  withFixture("makes slots by itself where it is told to, and transactions wait for theirs to end", async (on) => {
    const { client: { rpc, send }, user } = on
    const sent = await send(user, [pay(on, 1_000_000n)])
    const finalized = async () =>
      (await rpc.getSignatureStatuses([sent]).send()).value[0]?.confirmationStatus === "finalized"
    while (!(await finalized())) await new Promise((resolve) => setTimeout(resolve, 20))
  }, { slotTime: 50 })

  const genesisOf = async (path: string) =>
    JSON.parse(readFileSync(path, "utf8")) as { version: number; open: { slot: number } }

  it.live("continues where it ended: accounts, transactions, programs; and refuses a file that is not its own", () =>
    Effect.scoped(Effect.gen(function*() {
      const stateFile = join(yield* temporaryFolder, "solana.json")
      const run = <A>(use: (on: Fixture) => Promise<A>) =>
        Effect.scoped(Effect.flatMap(startFixture({ stateFile }), (on) => Effect.promise(() => use(on))))
      const deposit = ({ user }: Fixture, amount: bigint) =>
        Depository.depositNative({ sender: user, amount, id: new Uint8Array(32).fill(9) })
      const before = yield* run(async (on) => {
        const sent = await on.client.send(on.user, [deposit(on, 1_000_000n)])
        const found = await on.client.outcome(sent)
        return { sent, found, slot: on.solana.chain.ledger.open.slot, genesis: on.solana.chain.genesisHash }
      })
      yield* run(async (on) => {
        const { client: { outcome, rpc, send }, solana } = on
        assert.isTrue(solana.kept)
        assert.strictEqual(solana.chain.genesisHash, before.genesis)
        assert.isAbove(Number(await rpc.getSlot().send()), before.slot - 1)
        assert.deepStrictEqual(await outcome(before.sent), before.found)
        assert.strictEqual(await rpc.getBlockTime(before.found.slot).send(), before.found.blockTime)
        assert.strictEqual((await outcome(await send(on.user, [deposit(on, 2_000_000n)]))).meta.err, null)
        assert.strictEqual(
          (await rpc.getBalance(Depository.vault, { commitment: "processed" }).send()).value,
          890_880n + 3_000_000n
        )
      })
      assert.strictEqual((yield* Effect.promise(() => genesisOf(stateFile))).version, 1)
      const other = yield* Effect.flip(Solana.start({ name: "another", stateFile }))
      assert.strictEqual(other.kind, "wrong-chain")
      yield* Effect.sync(() => writeFileSync(stateFile, "{"))
      assert.strictEqual((yield* Effect.flip(Solana.start({ stateFile }))).kind, "damaged")
    })))

  it.live("ends with its scope while clients hold connections, and frees its port", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const on = yield* Scope.provide(startFixture(), scope)
      const ending = new AbortController()
      yield* Effect.promise(() => on.client.subscriptions.slotNotifications().subscribe({ abortSignal: ending.signal }))
      yield* Effect.promise(() => on.client.rpc.getSlot().send())
      const taken = yield* Effect.flip(Effect.scoped(Solana.start({ port: on.solana.port })))
      assert.strictEqual(taken.kind, "port-taken")
      yield* Scope.close(scope, Exit.void)
      yield* Effect.scoped(Solana.start({ port: on.solana.port }))
      ending.abort()
    }))

  withFixture("has accounts that no transaction made, when a test wants them", async ({ client: { rpc }, solana }) => {
    solana.chain.setAccount(stranger, wallet(2n ** 60n + 1n))
    assert.strictEqual((await rpc.getBalance(stranger, { commitment: "processed" }).send()).value, 2n ** 60n + 1n)
    assert.strictEqual(parties.accounts[0], userKey.address)
    assert.strictEqual(await rpc.getTransaction(signature("1".repeat(64)), { encoding: "base64" }).send(), null)
    assert.strictEqual(AccountRole.WRITABLE, 1)
  })
})
