"""Reads recorded calls, one JSON object a line, and prints what AWS's Python client and its models say against each of them."""

import base64
import json
import sys
import urllib.parse
from collections import Counter

import regex
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

LOADER = Loader()
MODELS = {}
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
ITEM_MAX_BYTES = 400 * 1024
LEVELS_MAX = 32
DIGITS_MAX = 38


def model_of(service):
    if service not in MODELS:
        MODELS[service] = ServiceModel(LOADER.load_service_model(service, "service-2"), service)
    return MODELS[service]


def constraint_problems(shape, value, path):
    """What botocore leaves to the service: greatest lengths, patterns and values."""
    limits = shape.metadata
    if shape.type_name == "structure":
        for name, part in value.items():
            if name in shape.members:
                yield from constraint_problems(shape.members[name], part, f"{path}.{name}")
        return
    if shape.type_name == "list":
        for part in value:
            yield from constraint_problems(shape.member, part, f"{path}[]")
    elif shape.type_name == "map":
        for name, part in value.items():
            yield from constraint_problems(shape.key, name, f"{path} (key)")
            yield from constraint_problems(shape.value, part, f"{path}.{name}")
    size = value if isinstance(value, (int, float)) else len(value)
    if shape.type_name == "blob":
        size = len(base64.b64decode(value))
    if size > limits.get("max", size) or size < limits.get("min", size):
        yield f"{path}: {size} is not between {limits.get('min')} and {limits.get('max')}"
    if "pattern" in limits and not regex.fullmatch(limits["pattern"], value):
        yield f"{path}: does not match {limits['pattern']}"
    if "enum" in limits and value not in limits["enum"]:
        yield f"{path}: is none of {limits['enum']}"


def bytes_of(attribute):
    """The size of a value as DynamoDB counts it: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html"""
    kind, value = next(iter(attribute.items()))
    if kind == "S":
        return len(value.encode())
    if kind == "N":
        return len(value.strip("-0.")) // 2 + 2
    if kind == "B":
        return len(base64.b64decode(value))
    if kind in ("BOOL", "NULL"):
        return 1
    if kind == "M":
        return 3 + sum(1 + len(name.encode()) + bytes_of(part) for name, part in value.items())
    if kind == "L":
        return 3 + sum(1 + bytes_of(part) for part in value)
    return sum(bytes_of({kind[0]: part}) for part in value)


def item_bytes(item):
    return sum(len(name.encode()) + bytes_of(value) for name, value in item.items())


def attribute_problems(value, path, level=0):
    """What DynamoDB documents about the values of an item or of an expression."""
    if not isinstance(value, dict) or len(value) != 1:
        yield f"{path}: is no value of one type"
        return
    kind, content = next(iter(value.items()))
    if level > LEVELS_MAX:
        yield f"{path}: has more than {LEVELS_MAX} levels"
    elif kind == "N" and len(content.lower().split("e")[0].lstrip("-").replace(".", "").strip("0")) > DIGITS_MAX:
        yield f"{path}: has more than {DIGITS_MAX} digits"
    elif kind in ("SS", "NS", "BS") and (content == [] or len(set(content)) < len(content)):
        yield f"{path}: is an empty set, or has a value twice"
    elif kind == "M":
        for name, part in content.items():
            yield from attribute_problems(part, f"{path}.{name}", level + 1)
    elif kind == "L":
        for part in content:
            yield from attribute_problems(part, f"{path}[]", level + 1)


def member_problems(call, path):
    """The limits of a call that reads or writes one item, and of a member of a transaction."""
    for name in ("Item", "Key", "ExpressionAttributeValues"):
        for attribute, value in (call.get(name) or {}).items():
            yield from attribute_problems(value, f"{path}.{name}.{attribute}")
            if name == "Key" and next(iter(value.values())) == "":
                yield f"{path}.Key.{attribute}: is empty"
    if item_bytes(call.get("Item") or {}) > ITEM_MAX_BYTES:
        yield f"{path}.Item: has more than {ITEM_MAX_BYTES} bytes"
    texts = " ".join(text for name, text in call.items() if name.endswith("Expression") and isinstance(text, str))
    used = set(regex.findall(r"[#:][\w]+", texts))
    given = set(call.get("ExpressionAttributeNames") or {}) | set(call.get("ExpressionAttributeValues") or {})
    if used != given:
        yield f"{path}: names and values of the expressions differ: {sorted(used ^ given)}"


def dynamodb_problems(operation, call):
    members = [part for item in call.get("TransactItems") or [] for part in item.values()]
    for member in members or [call]:
        yield from member_problems(member, operation)
    keys = [json.dumps([part["TableName"], part["Key"]], sort_keys=True) for part in members if "Key" in part]
    if len(set(keys)) < len(keys):
        yield f"{operation}: two members of the transaction are about one item"
    if len(json.dumps(members).encode()) > 4 * 1024 * 1024:
        yield f"{operation}: the transaction has more than 4 MB"
    writes = [one for requests in (call.get("RequestItems") or {}).values() if isinstance(requests, list) for one in requests]
    if len(writes) > 25:
        yield f"{operation}: has more than 25 writes"


def problems_of(record):
    service, operation, call = record["service"], record["operation"], record["parameters"]
    model = model_of(service).operation_model(operation)
    yield from ParamValidator().validate(call, model.input_shape).generate_report().splitlines()
    yield from constraint_problems(model.input_shape, call, operation)
    if service == "dynamodb":
        yield from dynamodb_problems(operation, call)
    answer = record.get("answer")
    if answer is not None and record["status"] == 200 and model.output_shape is not None:
        for line in ParamValidator().validate(answer, model.output_shape).generate_report().splitlines():
            yield f"answer: {line}"


def parameters_of(record):
    """Names operation and parameters as the models do: of a call in a JSON protocol, of a form (SNS) and of a path (Lambda)."""
    if record["service"] == "lambda":
        return {"operation": "Invoke", "parameters": {"FunctionName": urllib.parse.unquote(record["path"].split("/")[3])}}
    if record["service"] == "sns":
        form = dict(urllib.parse.parse_qsl(record["body"]))
        operation, _ = form.pop("Action"), form.pop("Version")
        return {"operation": operation, "parameters": {name: text for name, text in form.items() if "." not in name}}
    answer = json.loads(record["answer"]) if record["answer"].startswith("{") else None
    return {"operation": record["target"], "parameters": json.loads(record["body"] or "{}"), "answer": answer}


counts, problems = Counter(), {}
for line in sys.stdin:
    record = json.loads(line)
    record = {**record, "answer": None, **parameters_of(record)}
    subject = f"{record['service']} {record['operation']}"
    counts[subject] += 1
    for problem in problems_of(record):
        problems[f"{subject}: {problem}"] = problems.get(f"{subject}: {problem}", 0) + 1
print(json.dumps({"counts": counts, "problems": problems}))
