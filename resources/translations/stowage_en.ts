<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en">
<context>
    <name>BudgetTerms</name>
    <message numerus="yes">
        <source>%n process(es)</source>
        <translation>
            <numerusform>%n process</numerusform>
            <numerusform>%n processes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message numerus="yes">
        <source>%Ln line(s) left out</source>
        <translation>
            <numerusform>%Ln line left out</numerusform>
            <numerusform>%Ln lines left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln match</numerusform>
            <numerusform>%Ln matches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MessageList</name>
    <message numerus="yes">
        <source>%Ln earlier message(s) are kept, not shown</source>
        <translation>
            <numerusform>%Ln earlier message is kept, not shown</numerusform>
            <numerusform>%Ln earlier messages are kept, not shown</numerusform>
        </translation>
    </message>
</context>
</TS>
