from enum import Enum


class EnvironmentType(str, Enum):
    DAYTONA = "daytona"
    DOCKER = "docker"
    E2B = "e2b"
