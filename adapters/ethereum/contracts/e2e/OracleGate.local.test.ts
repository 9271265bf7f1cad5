import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { concat, encodeAbiParameters, encodeDeployData, encodeFunctionData, hexToBigInt, toHex } from "viem"
import type { Address, Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { Address as AccountText } from "../../../../src/domain/chain/Address.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { signDigest } from "../../../../src/domain/encoding/Signature.ts"
import { encodeAction } from "../../../../src/domain/hub/Action.ts"
import type { Action } from "../../../../src/domain/hub/Action.ts"
import { executionDigest } from "../../../../src/domain/hub/Execution.ts"
import { abi as gateAbi, bytecode as gateCode } from "../artifacts/OracleGate.ts"
import { abi as hubAbi, bytecode as hubCode } from "../artifacts/Hub.ts"
import { useFixture, word } from "../testing/Fixture.ts"

const fixture = useFixture()

const keys = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()].toSorted((one, other) =>
  privateKeyToAccount(one).address.toLowerCase() < privateKeyToAccount(other).address.toLowerCase() ? -1 : 1
)
const [first = "0x", second = "0x", third = "0x"] = keys
const oracles = keys.map((key) => privateKeyToAccount(key).address)
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const account = (seed: number) => AccountText.make(toHex(0xabc0 + seed, { size: 20 }))
const [alice, bob] = [account(1), account(2)]
const TOKEN = 77n

interface Execution {
  readonly idempotencyKey: Hex
  readonly actions: ReadonlyArray<Hex>
}

const mint = (to: typeof alice, amount: bigint): Action => ({ _tag: "Mint", to, tokenId: TOKEN, amount })
const burn = (from: typeof alice, amount: bigint): Action => ({ _tag: "Burn", from, tokenId: TOKEN, amount })
const move = (from: typeof alice, to: typeof alice, amount: bigint): Action => ({
  _tag: "Transfer",
  from,
  to,
  tokenId: TOKEN,
  amount
})

const execution = (seed: number, ...actions: ReadonlyArray<Action>): Execution => ({
  idempotencyKey: word(seed),
  actions: actions.map((action) => Result.getOrThrow(encodeAction(action)))
})

/** Hub and gate with the three oracles, deployed by the fixture's owner. */
const deploy = async (threshold = 1n, version = "1") => {
  const { create, owner, send } = fixture()
  const hub = await create(owner, encodeDeployData({ abi: hubAbi, bytecode: hubCode, args: [owner] }))
  const gate = await create(
    owner,
    encodeDeployData({
      abi: gateAbi,
      bytecode: gateCode,
      args: [hub, owner, "RelayOracle", version, oracles, threshold]
    })
  )
  await send(owner, hub, encodeFunctionData({ abi: hubAbi, functionName: "setGate", args: [gate, true] }))
  return { hub, gate }
}

/** Made by the core's encoders and signer, for a domain that a test may falsify. */
const signatureOf = (gate: Address, key: Hex, of: Execution, domain: object = {}): Hex => {
  const digest = executionDigest(
    {
      name: "RelayOracle",
      version: "1",
      chainId: BigInt(fixture().chainId),
      verifyingContract: gate.toLowerCase(),
      ...domain
    },
    { idempotencyKey: Hex32.make(of.idempotencyKey), actions: of.actions.map((action) => action as never) }
  )
  return Result.getOrThrow(signDigest(Result.getOrThrow(digest), Hex32.make(key)))
}

const executeData = (of: Execution, signatures: ReadonlyArray<Hex>) =>
  encodeFunctionData({
    abi: gateAbi,
    functionName: "execute",
    args: [{ idempotencyKey: of.idempotencyKey, actions: [...of.actions] }, [...signatures]]
  })

const held = (hub: Address, of: Address): Promise<bigint> =>
  fixture().client.readContract({ abi: hubAbi, address: hub, functionName: "balanceOf", args: [of, TOKEN] })

const held2 = async (hub: Address) => [await held(hub, alice as Address), await held(hub, bob as Address)]

describe("OracleGate", () => {
  it("executes mint, transfer and burn once, to the unit, for any submitter", async () => {
    const { client, refusal, send, stranger } = fixture()
    const { gate, hub } = await deploy()
    const of = execution(1, mint(alice, 100n), move(alice, bob, 30n), burn(bob, 5n))
    const data = executeData(of, [signatureOf(gate, first, of)])
    await send(stranger, gate, data)
    assert.deepStrictEqual(await held2(hub), [70n, 25n])
    assert.isTrue(
      await client.readContract({ abi: gateAbi, address: gate, functionName: "isExecuted", args: [of.idempotencyKey] })
    )
    assert.strictEqual(
      (await client.readContract({ abi: gateAbi, address: gate, functionName: "HUB" })).toLowerCase(),
      hub.toLowerCase()
    )
    assert.strictEqual(await refusal(stranger, gate, data), "AlreadyExecuted")
    // An idempotency key counts as used even for other actions.
    const other = { ...execution(1, mint(alice, 1n)) }
    assert.strictEqual(
      await refusal(stranger, gate, executeData(other, [signatureOf(gate, first, other)])),
      "AlreadyExecuted"
    )
    assert.deepStrictEqual(await held2(hub), [70n, 25n])
  })

  it("needs as many oracles as its threshold, sorted and distinct, and accepts more", async () => {
    const { refusal, send, user } = fixture()
    for (const threshold of [1n, 2n, 3n]) {
      const { gate, hub } = await deploy(threshold)
      const of = execution(2, mint(alice, 9n))
      const [one, two, three] = keys.map((key) => signatureOf(gate, key, of)) as [Hex, Hex, Hex]
      assert.strictEqual(await refusal(user, gate, executeData(of, [])), "NotEnoughSigners")
      if (threshold > 1n) assert.strictEqual(await refusal(user, gate, executeData(of, [one])), "NotEnoughSigners")
      assert.strictEqual(await refusal(user, gate, executeData(of, [one, one, one])), "UnsortedSigners")
      assert.strictEqual(await refusal(user, gate, executeData(of, [two, one, three])), "UnsortedSigners")
      assert.strictEqual(await refusal(user, gate, executeData(of, [one, two, two])), "UnsortedSigners")
      await send(user, gate, executeData(of, [one, two, three]))
      assert.strictEqual(await held(hub, alice as Address), 9n)
    }
  })

  it("refuses invalid signatures, and those of strangers, for other actions, another key or another domain", async () => {
    const { refusal, user } = fixture()
    const { gate } = await deploy()
    const { gate: elsewhere } = await deploy()
    const of = execution(3, mint(alice, 9n))
    const refused = (signature: Hex) => refusal(user, gate, executeData(of, [signature]))
    for (
      const signature of [
        signatureOf(gate, generatePrivateKey(), of),
        signatureOf(gate, first, execution(3, mint(alice, 10n))),
        signatureOf(gate, first, execution(3, mint(bob, 9n))),
        signatureOf(gate, first, execution(3, mint(alice, 9n), mint(alice, 9n))),
        signatureOf(gate, first, execution(4, mint(alice, 9n))),
        signatureOf(elsewhere, first, of),
        signatureOf(gate, first, of, { chainId: 1n }),
        signatureOf(gate, first, of, { name: "Oracle" }),
        signatureOf(gate, first, of, { version: "2" }),
        `0x${"00".repeat(65)}` as const,
        "0x" as const
      ]
    ) assert.strictEqual(await refused(signature), "NotAnOracle")
  })

  it("refuses malleated signatures: high s, v of 0 or 1, 64 bytes, an extra byte", async () => {
    const { refusal, send, user } = fixture()
    const { gate } = await deploy()
    const of = execution(5, mint(alice, 9n))
    const good = signatureOf(gate, first, of)
    const [r, s, v] = [good.slice(2, 66), hexToBigInt(`0x${good.slice(66, 130)}`), Number(`0x${good.slice(130)}`)]
    const high = `0x${r}${toHex(N - s, { size: 32 }).slice(2)}${v === 27 ? "1c" : "1b"}` as const
    const zeroBased = `${good.slice(0, 130)}${v === 27 ? "00" : "01"}` as Hex
    const compact = `0x${r}${toHex(s + (v === 28 ? 1n << 255n : 0n), { size: 32 }).slice(2)}` as const
    for (const signature of [high, zeroBased, compact, concat([good, "0x00"])]) {
      assert.strictEqual(await refusal(user, gate, executeData(of, [signature])), "NotAnOracle")
    }
    await send(user, gate, executeData(of, [good]))
  })

  it("accepts signatures made by viem", async () => {
    const { chainId, send, user } = fixture()
    const { gate, hub } = await deploy()
    const of = execution(6, mint(alice, 3n))
    const signature = await privateKeyToAccount(first).signTypedData({
      domain: { name: "RelayOracle", version: "1", chainId, verifyingContract: gate },
      types: { Execution: [{ name: "idempotencyKey", type: "bytes32" }, { name: "actions", type: "bytes[]" }] },
      primaryType: "Execution",
      message: { idempotencyKey: of.idempotencyKey, actions: [...of.actions] }
    })
    assert.strictEqual(signature, signatureOf(gate, first, of))
    await send(user, gate, executeData(of, [signature]))
    assert.strictEqual(await held(hub, alice as Address), 3n)
  })

  it("refuses malformed actions: another type, other lengths, dirty words, more than the balance; and then changes nothing", async () => {
    const { refusal, user } = fixture()
    const { gate, hub } = await deploy()
    const good = Result.getOrThrow(encodeAction(mint(alice, 5n)))
    const wrong: ReadonlyArray<Hex> = [
      "0x",
      "0x00",
      good.slice(0, -2) as Hex,
      concat([good, "0x00"]),
      concat([good, `0x${"00".repeat(32)}`]),
      encodeAbiParameters([{ type: "uint256" }, { type: "address" }, { type: "uint256" }, { type: "uint256" }], [
        3n,
        alice as Address,
        1n,
        1n
      ]),
      encodeAbiParameters([{ type: "uint256" }, { type: "address" }, { type: "uint256" }, { type: "uint256" }], [
        256n,
        alice as Address,
        1n,
        1n
      ]),
      `0x${good.slice(2, 66)}01${good.slice(68)}`
    ]
    for (const action of wrong) {
      const of = { idempotencyKey: word(7), actions: [good, action] }
      await refusal(user, gate, executeData(of, [signatureOf(gate, first, of)]))
    }
    for (const action of [burn(alice, 6n), move(alice, bob, 6n), burn(bob, 1n)]) {
      const of = execution(8, mint(alice, 5n), action)
      assert.strictEqual(
        await refusal(user, gate, executeData(of, [signatureOf(gate, first, of)])),
        "ERC6909InsufficientBalance"
      )
    }
    assert.deepStrictEqual(await held2(hub), [0n, 0n])
  })

  it("alone can change the hub: nobody else mints, burns or moves, and approvals concern only one's own account", async () => {
    const { owner, refusal, send, thief } = fixture()
    const { hub } = await deploy()
    const call = (functionName: "mint" | "burn", to: Address) =>
      encodeFunctionData({ abi: hubAbi, functionName, args: [to, TOKEN, 1n] })
    for (const from of [thief, owner]) {
      assert.strictEqual(await refusal(from, hub, call("mint", from)), "NotAGate")
      assert.strictEqual(await refusal(from, hub, call("burn", from)), "NotAGate")
    }
    const take = encodeFunctionData({
      abi: hubAbi,
      functionName: "transferFrom",
      args: [alice as Address, thief, TOKEN, 1n]
    })
    assert.strictEqual(await refusal(thief, hub, take), "ERC6909InsufficientAllowance")
    const open = encodeFunctionData({ abi: hubAbi, functionName: "setGate", args: [thief, true] })
    assert.strictEqual(await refusal(thief, hub, open), "OwnableUnauthorizedAccount")
    await send(owner, hub, open)
    await send(thief, hub, call("mint", thief))
    assert.strictEqual(await held(hub, thief), 1n)
  })

  it("keeps a reachable threshold; only its owner changes oracles, and a removed one no longer counts", async () => {
    const { owner, refusal, send, thief, user } = fixture()
    const { gate } = await deploy(2n)
    const set = (oracle: Address, allowed: boolean) =>
      encodeFunctionData({ abi: gateAbi, functionName: "setOracle", args: [oracle, allowed] })
    const threshold = (value: bigint) =>
      encodeFunctionData({ abi: gateAbi, functionName: "setThreshold", args: [value] })
    const [, two, three] = oracles as [Address, Address, Address]
    for (const data of [set(thief, true), threshold(1n)]) {
      assert.strictEqual(await refusal(thief, gate, data), "OwnableUnauthorizedAccount")
    }
    for (const value of [0n, 4n]) {
      assert.strictEqual(await refusal(owner, gate, threshold(value)), "ImpossibleThreshold")
    }
    await send(owner, gate, set(three, false))
    assert.strictEqual(await refusal(owner, gate, set(two, false)), "ImpossibleThreshold")
    const of = execution(9, mint(alice, 1n))
    assert.strictEqual(
      await refusal(user, gate, executeData(of, [signatureOf(gate, first, of), signatureOf(gate, third, of)])),
      "NotAnOracle"
    )
    await send(user, gate, executeData(of, [signatureOf(gate, first, of), signatureOf(gate, second, of)]))
  })
})
