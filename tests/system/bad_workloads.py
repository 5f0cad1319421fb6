"""Workloads that must be refused, and what the refusal must say (line, attribute, words)."""

HEAD = '<workload name="bad"><storage type="mock" config=""/>\n<workflow><workstage name="main">\n'
TAIL = "\n</workstage></workflow></workload>\n"
OPERATION = '<operation type="read" ratio="100" config="containers=u(1,2);objects=u(1,9)"/>'


def work(attributes, operations=OPERATION):
    return f'{HEAD}<work name="main" {attributes}>\n{operations}</work>{TAIL}'


def billion_laughs():
    entities = '<!ENTITY a0 "lol">' + "".join(
        f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    return f'<!DOCTYPE workload [{entities}]>\n<workload name="&a9;"/>'


BAD = {
    "unknown storage": (
        '<workload name="bad">\n<storage type="s4" config=""/>\n<workflow><workstage name="main">'
        f'<work name="main" workers="1" totalOps="1">{OPERATION}</work></workstage></workflow></workload>',
        2, "s4"),
    "ratio sum": (
        work('workers="1" runtime="1"',
             '<operation type="read" ratio="80" config="containers=u(1,2);objects=u(1,9)"/>\n'
             '<operation type="delete" ratio="10" config="containers=u(1,2);objects=u(1,9)"/>'), 3, "90"),
    "unknown selector": (
        work('workers="1" runtime="1"',
             '<operation type="read" ratio="100" config="containers=x(1,2);objects=u(1,9)"/>'), 4, "x"),
    "reversed range": (
        work('workers="1" runtime="1"',
             '<operation type="read" ratio="100" config="containers=u(10,1);objects=u(1,9)"/>'), 4, "10"),
    "no limit": (work('workers="1"'), 3, "runtime"),
    "negative runtime": (work('workers="1" runtime="-5"'), 3, "-5"),
    "negative workers": (work('workers="-1" runtime="5"'), 3, "-1"),
    "negative totalOps": (work('workers="1" totalOps="-7"'), 3, "-7"),
    "external entity": (
        '<!DOCTYPE workload [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<workload name="&x;"/>', None, "entit"),
    "billion laughs": (billion_laughs(), None, "entit"),
    "not XML": ("garbage\n" * 1000, 1, ""),
    "cut short": ('<workload name="bad">\n<workflow>\n', None, ""),
    "empty": ("", None, ""),
    "binary": ("\0\1\2\377" * 1000, None, ""),
}
