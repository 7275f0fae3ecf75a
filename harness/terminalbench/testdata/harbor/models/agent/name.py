from enum import Enum


class AgentName(str, Enum):
    ORACLE = "oracle"
    CLAUDE_CODE = "claude-code"
