from enum import Enum


class EnvironmentType(str, Enum):
    DOCKER = "docker"
    E2B = "e2b"
