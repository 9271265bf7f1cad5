// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A token for tests each of whose functions misbehaves in a chosen way
contract BadToken {
    enum Way {
        Well,
        Reverts,
        BurnsGas,
        RevertsWithMuch,
        AnswersMuch,
        AnswersLittle,
        MovesNothing,
        KeepsAllowance
    }

    event Transfer(address indexed from, address indexed to, uint256 value);

    error Refused();

    mapping(bytes4 selector => Way way) private wayOf;
    mapping(address account => uint256 amount) private held;
    mapping(address owner => mapping(address spender => uint256 amount)) public allowance;

    /// @dev The last two ways are for {transferFrom} itself to heed.
    modifier misbehaving(uint256 answer) {
        Way way = wayOf[msg.sig];
        if (way == Way.Reverts) revert Refused();
        assembly {
            if eq(way, 2) { invalid() }
            if eq(way, 3) { revert(0, 400000) }
            mstore(0, answer)
            if eq(way, 4) { return(0, 50000) }
            if eq(way, 5) { return(0, 31) }
        }
        _;
    }

    function misbehave(bytes4 selector, Way way) external {
        wayOf[selector] = way;
    }

    function mint(address to, uint256 amount) external {
        held[to] += amount;
    }

    function balanceOf(address account) external view misbehaving(held[account]) returns (uint256) {
        return held[account];
    }

    function approve(address spender, uint256 amount) external misbehaving(1) returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external misbehaving(1) returns (bool) {
        Way way = wayOf[msg.sig];
        if (way != Way.KeepsAllowance) allowance[from][msg.sender] -= amount;
        if (way == Way.MovesNothing) return true;
        held[from] -= amount;
        held[to] += amount;
        emit Transfer(from, to, amount);
        return true;
    }
}
