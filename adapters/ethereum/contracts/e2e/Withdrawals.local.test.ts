import { assert, describe, it } from "@effect/vitest"
import type { Address, Hex } from "viem"
import {
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature
} from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { abi } from "../artifacts/Depository.ts"
import { abi as refuserAbi } from "../artifacts/Refuser.ts"
import { abi as smartAllocatorAbi, bytecode as smartAllocatorCode } from "../artifacts/SmartAllocator.ts"
import { abi as wethAbi } from "../artifacts/TestWETH.ts"
import type { Request } from "../testing/Requests.ts"
import { executeData, FAR, malleated, request, sign } from "../testing/Requests.ts"
import { event, eventsOf, NATIVE, useFixture, word } from "../testing/Fixture.ts"

const fixture = useFixture()

const signed = (message: Request): Promise<Hex> => {
  const { allocator, depository, chainId } = fixture()
  return sign(allocator, depository, chainId, message)
}
const hash = (message: Request): Promise<Hex> =>
  fixture().client.readContract({
    address: fixture().depository,
    abi,
    functionName: "hashCallRequest",
    args: [message]
  })
const isUsed = async (message: Request): Promise<boolean> =>
  fixture().client.readContract({
    address: fixture().depository,
    abi,
    functionName: "callRequests",
    args: [await hash(message)]
  })
/** The flags that executing the request would return. */
const flags = async (message: Request) => {
  const { client, depository, stranger } = fixture()
  const { result } = await client.simulateContract({
    account: stranger,
    address: depository,
    abi,
    functionName: "execute",
    args: [message, await signed(message)],
    gas: 8_000_000n
  })
  return result
}
const execute = async (message: Request) =>
  fixture().send(fixture().stranger, fixture().depository, executeData(message, await signed(message)))
const refused = async (message: Request, signature?: Hex) =>
  fixture().refusal(fixture().stranger, fixture().depository, executeData(message, signature ?? await signed(message)))
/** The depository holds 1,000 wei and 1,000 units of USDC and USDT. */
const fund = async () => {
  const { client, mint, depository, usdc, usdt } = fixture()
  await client.setBalance({ address: depository, value: 1000n })
  await mint(usdc, depository, 1000n)
  await mint(usdt, depository, 1000n)
}
const transfer = (to: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] })

describe("Depository: withdrawals", () => {
  it("pays native currency and tokens in order, once, and records it", async () => {
    await fund()
    const { depository, usdc, usdt, balance, client } = fixture()
    const target = "0x00000000000000000000000000000000000000a1"
    const message = request([
      { to: target, value: 5n },
      { to: usdc, data: transfer(target, 6n) },
      { to: usdt, data: transfer(target, 7n) }
    ])
    assert.isFalse(await isUsed(message))
    assert.deepStrictEqual(await flags(message), [true, true, true])
    const receipt = await execute(message)
    assert.deepStrictEqual(eventsOf(receipt), [
      event("Transfer", depository, target, 6n),
      event("Transfer", depository, target, 7n)
    ])
    assert.isTrue(await isUsed(message))
    assert.deepStrictEqual(
      await Promise.all([NATIVE, usdc, usdt].map((token) => balance(token, target))),
      [5n, 6n, 7n]
    )
    assert.strictEqual(await client.getBalance({ address: depository }), 995n)
    assert.strictEqual(await refused(message), "RequestUsed")
    assert.isTrue(await isUsed(request([...message.calls], { nonce: 1n })))
    assert.isFalse(await isUsed(request([...message.calls], { nonce: 2n })))
  })

  it("needs the allocator's canonical signature for this chain, this depository and exactly this request", async () => {
    await fund()
    const { user, thief, allocator, depository, vault, chainId } = fixture()
    const message = request([{ to: user, value: 5n }])
    const good = await signed(message)
    const other = privateKeyToAccount(generatePrivateKey())
    const bad: Record<string, Hex> = {
      "another signer": await sign(other, depository, chainId, message),
      "another chain": await sign(allocator, depository, chainId + 1, message),
      "another depository": await sign(allocator, vault, chainId, message),
      "malleated": malleated(good),
      "compact": serializeCompactSignature(signatureToCompactSignature(parseSignature(good))),
      "empty": "0x",
      "zeros": `0x${"00".repeat(65)}`,
      "bytes behind": `${good}00`,
      "personal message": await allocator.signMessage({ message: { raw: await hash(message) } })
    }
    for (const [name, signature] of Object.entries(bad)) {
      assert.strictEqual(await refused(message, signature), "NotSignedByAllocator", name)
    }
    const changed: ReadonlyArray<Request> = [
      request([{ to: thief, value: 5n }]),
      request([{ to: user, value: 6n }]),
      request([{ to: user, value: 5n, data: "0x00" }]),
      request([{ to: user, value: 5n, allowFailure: true }]),
      request([{ to: user, value: 5n }], { nonce: 2n }),
      request([{ to: user, value: 5n }], { expiration: FAR + 1n }),
      request([{ to: user, value: 5n }, { to: user, value: 5n }]),
      request([])
    ]
    for (const each of changed) assert.strictEqual(await refused(each, good), "NotSignedByAllocator")
    await execute(message)
  })

  it("a used request stays used under its malleated signature", async () => {
    await fund()
    const message = request([{ to: fixture().user, value: 5n }])
    await execute(message)
    assert.strictEqual(await refused(message, malleated(await signed(message))), "RequestUsed")
  })

  it("is possible strictly before its expiration", async () => {
    await fund()
    const { client, user, depository, stranger, transact } = fixture()
    const { timestamp } = await client.getBlock()
    const inSeconds = (seconds: bigint) => request([{ to: user, value: 1n }], { expiration: timestamp + seconds })
    assert.strictEqual(await refused(inSeconds(-1n)), "RequestExpired")
    const outcome = async (message: Request, minedAt: bigint) => {
      await client.setNextBlockTimestamp({ timestamp: minedAt })
      const data = executeData(message, await signed(message))
      return (await transact(stranger, { to: depository, data })).status
    }
    assert.strictEqual(await outcome(inSeconds(100n), timestamp + 100n), "reverted")
    assert.strictEqual(await outcome(inSeconds(200n), timestamp + 199n), "success")
  })

  it("keeps what a call returns to it, such as unwrapped currency, and can pay it on", async () => {
    const { send, user, depository, weth, balance } = fixture()
    const target = "0x00000000000000000000000000000000000000a2"
    await send(user, weth, encodeFunctionData({ abi: wethAbi, functionName: "deposit" }), 10n)
    await send(user, weth, transfer(depository, 10n))
    await execute(request([
      { to: weth, data: encodeFunctionData({ abi: wethAbi, functionName: "withdraw", args: [10n] }) },
      { to: target, value: 10n }
    ]))
    assert.strictEqual(await balance(NATIVE, target), 10n)
    assert.strictEqual(await fixture().refusal(user, depository, "0x", 1n), "DepositWithoutId")
  })

  it("accepts change only while it executes, not later in the same transaction", async () => {
    await fund()
    const { client, depository, puppet, thief, teach, played, send } = fixture()
    const message = request([{ to: "0x00000000000000000000000000000000000000a4", value: 1n }])
    await client.setBalance({ address: puppet, value: 10n })
    await teach([
      { to: depository, data: executeData(message, await signed(message)) },
      { to: depository, data: "0x", value: 1n }
    ])
    await send(thief, puppet, "0x")
    assert.deepStrictEqual(await played(), { succeeded: 1n, failed: 1n, reason: "DepositWithoutId" })
  })

  it("calls to the depository itself are refused", async () => {
    await fund()
    const { depository, user } = fixture()
    const deposit = encodeFunctionData({ abi, functionName: "depositNative", args: [user, word(1)] })
    assert.strictEqual(await refused(request([{ to: depository, value: 5n }])), "CallToItself")
    assert.strictEqual(
      await refused(request([{ to: depository, value: 5n, data: deposit, allowFailure: true }])),
      "CallToItself"
    )
  })
})

describe("Depository: calls that fail", () => {
  const refuse = encodeFunctionData({ abi: refuserAbi, functionName: "refuse" })

  it("a failure reverts everything and leaves the request unused", async () => {
    await fund()
    const { user, refuser, balance, transact, stranger, depository } = fixture()
    const before = await balance(NATIVE, user)
    const message = request([{ to: user, value: 5n }, { to: refuser, value: 5n }])
    assert.strictEqual(await refused(message), "CallFailed")
    const data = executeData(message, await signed(message))
    assert.strictEqual((await transact(stranger, { to: depository, data })).status, "reverted")
    assert.strictEqual(await balance(NATIVE, user), before)
    assert.isFalse(await isUsed(message))
    assert.strictEqual(await refused(request([{ to: user, value: 1001n }])), "CallFailed")
  })

  it("an allowed failure is reported by its flag, and the other calls are executed", async () => {
    await fund()
    const { refuser, depository, balance } = fixture()
    const target = "0x00000000000000000000000000000000000000a3"
    const message = request([
      { to: refuser, data: refuse, allowFailure: true },
      { to: refuser, data: encodeFunctionData({ abi: refuserAbi, functionName: "bomb" }), allowFailure: true },
      { to: refuser, value: 7n, allowFailure: true },
      { to: target, value: 5n }
    ])
    assert.deepStrictEqual(await flags(message), [false, false, false, true])
    await execute(message)
    assert.strictEqual(await balance(NATIVE, target), 5n)
    assert.strictEqual(await balance(NATIVE, depository), 995n)
  })

  it("a submitter cannot starve an allowed call of gas, with any gas limit", async () => {
    await fund()
    const { refuser, client, depository, stranger } = fixture()
    const work = encodeFunctionData({ abi: refuserAbi, functionName: "work", args: [300_000n] })
    const message = request([{ to: refuser, data: work, allowFailure: true }])
    const data = executeData(message, await signed(message))
    let succeeded = 0
    for (let gas = 60_000n; gas <= 1_000_000n; gas += 20_000n) {
      const answer = await client.call({ account: stranger, to: depository, data, gas }).catch(() => undefined)
      if (answer?.data === undefined) continue
      // A `bool[]` with one element: offset, length, flag.
      assert.strictEqual(BigInt(`0x${answer.data.slice(2 + 2 * 64)}`), 1n, `starved at ${gas} gas`)
      succeeded += 1
    }
    assert.isAbove(succeeded, 5)
  })
})

describe("Depository: a recipient that calls back", () => {
  it("cannot execute the same or another request, nor deposit, from inside", async () => {
    await fund()
    const { puppet, depository, thief, teach, played, balance } = fixture()
    const message = request([{ to: puppet, value: 100n }])
    const other = request([{ to: thief, value: 100n }], { nonce: 2n })
    const again = executeData(message, await signed(message))
    const another = executeData(other, await signed(other))
    const deposit = encodeFunctionData({ abi, functionName: "depositNative", args: [thief, word(1)] })
    for (
      const act of [{ to: depository, data: again }, { to: depository, data: another }, {
        to: depository,
        data: deposit,
        value: 1n
      }]
    ) {
      const snapshot = await fixture().client.snapshot()
      await teach([act])
      await execute(message)
      assert.deepStrictEqual(await played(), { succeeded: 0n, failed: 1n, reason: "ReentrancyGuardReentrantCall" })
      assert.strictEqual(await balance(NATIVE, depository), 900n)
      assert.isFalse(await isUsed(other))
      await fixture().client.revert({ id: snapshot })
    }
  })
})

describe("Depository: the allocator", () => {
  const setAllocator = (to: Address) => encodeFunctionData({ abi, functionName: "setAllocator", args: [to] })

  it("is replaced by the owner alone, at once for requests not yet executed", async () => {
    await fund()
    const { owner, thief, user, depository, send, refusal, chainId } = fixture()
    const next = privateKeyToAccount(generatePrivateKey())
    assert.strictEqual(await refusal(thief, depository, setAllocator(thief)), "OwnableUnauthorizedAccount")
    assert.strictEqual(await refusal(owner, depository, setAllocator(NATIVE)), "ZeroAddress")
    const receipt = await send(owner, depository, setAllocator(next.address))
    assert.deepStrictEqual(eventsOf(receipt), [event("AllocatorChanged", next.address)])
    const message = request([{ to: user, value: 5n }])
    assert.strictEqual(await refused(message), "NotSignedByAllocator")
    await send(thief, depository, executeData(message, await sign(next, depository, chainId, message)))
  })

  it("may be a contract that validates signatures (EIP-1271)", async () => {
    await fund()
    const { owner, allocator, thief, user, depository, send, create } = fixture()
    const contract = await create(
      thief,
      encodeDeployData({ abi: smartAllocatorAbi, bytecode: smartAllocatorCode, args: [allocator.address] })
    )
    await send(owner, depository, setAllocator(contract))
    const message = request([{ to: user, value: 5n }])
    const stranger = privateKeyToAccount(generatePrivateKey())
    const foreign = await sign(stranger, depository, fixture().chainId, message)
    assert.strictEqual(await refused(message, foreign), "NotSignedByAllocator")
    await execute(message)
  })

  it("the owner transfers ownership in two steps", async () => {
    const { owner, thief, user, depository, send, refusal } = fixture()
    await send(owner, depository, encodeFunctionData({ abi, functionName: "transferOwnership", args: [user] }))
    const accept = encodeFunctionData({ abi, functionName: "acceptOwnership" })
    assert.strictEqual(await refusal(user, depository, setAllocator(user)), "OwnableUnauthorizedAccount")
    assert.strictEqual(await refusal(thief, depository, accept), "OwnableUnauthorizedAccount")
    await send(user, depository, accept)
    await send(user, depository, setAllocator(user))
  })
})
